import { Button, StatusIndicator } from "@cloudscape-design/components";
import { createElement, Fragment, type ReactNode } from "react";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Token } from "../../../api/types.ts";
import { useDialogs } from "../../../parts/dialog.tsx";
import { PageLink, useFollow } from "../../../parts/page.tsx";
import { asNamed, type Named, TokenName, tokenName } from "../../../parts/token-name.tsx";
import { Moment } from "../../../parts/values.tsx";
import { DecisionButtons, RequestSentence } from "../confirmations/request-card.tsx";
import { RevokeDialog } from "../dialogs/confirm-dialogs.tsx";
import { RotateDialog } from "../dialogs/issue-dialogs.tsx";
import { isUnredeemed } from "../token/token-status.ts";
import { LeakAddresses, LeakSteps, leakQuestion, whatIsWrong } from "../usage/usage-alerts.tsx";
import type { AttentionItem } from "./attention-items.ts";

const calm: ReadonlySet<string> = new Set<AttentionItem["kind"]>([
  "confirmation_waiting",
  "invitation_unused",
  "token_unused",
]);

/** Says what needs a decision, and offers the next step. */
export const AttentionRow = ({ item }: { item: AttentionItem }) => {
  const isUrgent = !calm.has(item.kind);
  const { text, steps } = contentOf(item);
  return (
    <div className="attention-row row">
      <StatusIndicator type={isUrgent ? "warning" : "info"} iconAriaLabel={isUrgent ? "Warning" : "Note"} />
      <div className="attention-text">{text}</div>
      <div className="attention-steps row">{steps}</div>
    </div>
  );
};

const contentOf = (item: AttentionItem): { text: ReactNode; steps: ReactNode } => {
  const record = "trust" in item ? asNamed(item.trust) : item.token;
  const name = <NameLink token={record} />;
  const open = <OpenButton token={record} />;
  if (item.kind === "confirmation_waiting") {
    const { token, request } = item;
    const text = (
      <>
        {name} <RequestSentence token={token} request={request} />
      </>
    );
    return { text, steps: <DecisionButtons token={token} request={request} /> };
  }
  if (item.kind === "trust_leaked") {
    const sources = <LeakAddresses leak={item.leak} />;
    const restriction = `. It is trusted only at ${item.trust.ip}.`;
    return content(open, "Somebody sent a JWT of the workload ", name, " from ", sources, restriction);
  }
  if (item.kind === "token_leaked") {
    const { token, leak } = item;
    const isOne = leak.addresses.length === 1 && leak.unlisted_at === null;
    return {
      text: (
        <>
          Somebody used the {isUnredeemed(token) ? "invitation" : "token"} of {name} from <LeakAddresses leak={leak} />,{" "}
          {whatIsWrong(isOne)}. {leakQuestion(token, isOne)}
        </>
      ),
      steps: (
        <>
          <LeakSteps token={token} ip={isOne ? leak.addresses[0]?.source_ip : undefined} />
          {!isOne && open}
        </>
      ),
    };
  }
  const time = <Moment time={item.time} />;
  switch (item.kind) {
    case "rotation_unfinished":
      return content(open, name, " was rotated, but its client still uses the old token, which ends ", time, ".");
    case "token_expires":
      return content(
        <DialogButton text="Rotate" token={item.token} dialog={<RotateDialog token={item.token} />} />,
        name,
        " expires ",
        time,
        " and is in use.",
      );
    case "invitation_unused":
      return content(open, "The client of ", name, " has not used its invitation, which ends ", time, ".");
    case "token_unused": {
      const state = item.token.last_used_at === null ? "has never been used; it was issued" : "was last used";
      return content(
        <DialogButton text="Revoke" token={item.token} dialog={<RevokeDialog token={item.token} />} />,
        name,
        ` ${state} `,
        time,
        ".",
      );
    }
    case "trust_ends":
      return content(open, "The trust in ", name, " ends ", time, ", and its tokens with it.");
    case "issuer_unreachable":
      return content(open, "The issuer of ", name, " became unreachable ", time, ". The workload gets no new tokens.");
  }
};

const content = (steps: ReactNode, ...sentence: ReactNode[]) => ({
  text: createElement(Fragment, null, ...sentence),
  steps,
});

const NameLink = ({ token }: { token: Named }) => (
  <>
    <PageLink href={addresses.token(token.token_id)}>
      <TokenName token={token} />
    </PageLink>
    {token.client !== null && ` (${token.client})`}
  </>
);

const OpenButton = ({ token }: { token: Named }) => (
  <Button {...useFollow(addresses.token(token.token_id))} ariaLabel={`Open ${tokenName(token)}`}>
    Open
  </Button>
);

const DialogButton = ({ text, token, dialog }: { text: string; token: Token; dialog: ReactNode }) => {
  const { open } = useDialogs();
  return (
    <Button ariaLabel={`${text} ${tokenName(token)}`} onClick={() => open(dialog)}>
      {text}
    </Button>
  );
};
