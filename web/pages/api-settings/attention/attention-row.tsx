import Button from "@cloudscape-design/components/button";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { Fragment, type ReactNode } from "react";
import { useLocation } from "wouter";
import { addresses } from "../../../../lambdas/addresses.ts";
import type { Leak, Notice, Token } from "../../../api/types.ts";
import { PageLink } from "../../../parts/links.tsx";
import { Address, Moment } from "../../../parts/values.tsx";
import { TokenName, tokenName } from "../../../tokens/token-name.tsx";
import type { OpenDialog } from "../token/open-dialog.ts";
import { leakAdvice } from "../usage/leak-alert.tsx";
import { type AttentionItem, latestFirst } from "./attention-items.ts";

type RowItem = Exclude<AttentionItem, { kind: "confirmation_waiting" }>;

interface AttentionRowProps {
  item: RowItem;
  onOpen: (dialog: OpenDialog) => void;
}

/** What is the matter with a token, and the next step. */
export const AttentionRow = ({ item, onOpen }: AttentionRowProps) => {
  const isUrgent = item.kind !== "token_unused" && item.kind !== "invitation_unused";
  return (
    <div className="attention-row">
      <StatusIndicator type={isUrgent ? "warning" : "info"} iconAriaLabel={isUrgent ? "Warning" : "Note"} />
      <div>{textOf(item)}</div>
      <div className="attention-step">
        <NextStep item={item} onOpen={onOpen} />
      </div>
    </div>
  );
};

const textOf = (item: RowItem): ReactNode => {
  if (item.kind === "delivery_uncertain") return <UncertainNotice notice={item.notice} />;
  const name = <NameLink token={item.token} />;
  switch (item.kind) {
    case "token_leaked":
      return (
        <>
          The correct secret of {name} came from a wrong address: <LeakAddresses leak={item.leak} />.
          <div className="remark">{leakAdvice}</div>
        </>
      );
    case "rotation_unfinished":
      return (
        <>
          {name} ends <Moment time={item.time} />: it was rotated, but its client still uses it.
        </>
      );
    case "token_expires":
      return (
        <>
          {name} expires <Moment time={item.time} /> and is in use.
        </>
      );
    case "invitation_unused":
      return (
        <>
          The invitation {name} ends <Moment time={item.time} /> and has not been redeemed.
        </>
      );
    case "token_unused":
      return (
        <>
          {name} {item.token.last_used_at === null ? "has never been used; it was issued" : "was last used"}{" "}
          <Moment time={item.time} />.
        </>
      );
  }
};

const NameLink = ({ token }: { token: Pick<Token, "token_id" | "comment" | "ip"> }) => (
  <PageLink href={addresses.token(token.token_id)}>
    <TokenName token={token} />
  </PageLink>
);

const NextStep = ({ item, onOpen }: AttentionRowProps) => {
  switch (item.kind) {
    case "token_leaked":
      return (
        <>
          <OpenButton token={item.token} />
          <DialogButton name="revoke" token={item.token} onOpen={onOpen} />
        </>
      );
    case "token_expires":
      return <DialogButton name="rotate" token={item.token} onOpen={onOpen} />;
    case "token_unused":
      return <DialogButton name="revoke" token={item.token} onOpen={onOpen} />;
    case "delivery_uncertain":
      return item.notice.token_id !== null && <OpenButton token={{ ...item.notice, token_id: item.notice.token_id }} />;
    default:
      return <OpenButton token={item.token} />;
  }
};

const OpenButton = ({ token }: { token: Pick<Token, "token_id" | "comment" | "ip"> }) => {
  const [, navigate] = useLocation();
  const href = addresses.token(token.token_id);
  return (
    <Button
      href={href}
      ariaLabel={`Open ${tokenName(token)}`}
      onFollow={(event) => {
        event.preventDefault();
        navigate(href);
      }}
    >
      Open
    </Button>
  );
};

interface DialogButtonProps extends Pick<AttentionRowProps, "onOpen"> {
  name: "rotate" | "revoke";
  token: Token;
}

const DialogButton = ({ name, token, onOpen }: DialogButtonProps) => {
  const text = name === "rotate" ? "Rotate" : "Revoke";
  return (
    <Button ariaLabel={`${text} ${tokenName(token)}`} onClick={() => onOpen({ name, token })}>
      {text}
    </Button>
  );
};

const maxNamed = 3;

/** The addresses of a leak, each with its last time, and whether there are others. */
const LeakAddresses = ({ leak }: { leak: Leak }) => {
  const latest = latestFirst(leak);
  const others = latest.length - maxNamed;
  return (
    <>
      {latest.slice(0, maxNamed).map(({ source_ip, last_at }, index) => (
        <Fragment key={source_ip}>
          {index > 0 && ", "}
          <Address ip={source_ip} /> (<Moment time={last_at} />)
        </Fragment>
      ))}
      {others > 0 && `, ${others} more`}
      {leak.unlisted_at !== null && (
        <>
          {latest.length > 0 && " and "}further addresses (<Moment time={leak.unlisted_at} />)
        </>
      )}
    </>
  );
};

/** A notice that may not have been delivered. It is never sent again, so that nobody gets it twice. */
const UncertainNotice = ({ notice }: { notice: Notice }) => {
  const { token_id, topic, bus, found_at } = notice;
  const channels = [...(topic === "uncertain" ? ["the topic"] : []), ...(bus === "uncertain" ? ["the event bus"] : [])];
  return (
    <>
      It is not known whether {channels.join(" and ")} got a notice
      {token_id !== null && (
        <>
          {" "}
          about{" "}
          <PageLink href={addresses.token(token_id)}>
            <TokenName token={{ ...notice, token_id }} />
          </PageLink>
        </>
      )}
      : {contents[notice.kind]}.
      <div className="remark">
        Found <Moment time={found_at} />. It will not be sent again.
      </div>
    </>
  );
};

/** What the notices are about. */
const contents: Record<Notice["kind"], string> = {
  token_expires: "it expires soon",
  rotation_unfinished: "its rotation is unfinished",
  token_unused: "it is unused",
  invitation_unused: "its invitation has not been redeemed",
  confirmation_waiting: "a client waits for a confirmation",
  token_leaked: "its correct secret came from a wrong address",
  delivery_uncertain: "other notices may not have been delivered",
};
