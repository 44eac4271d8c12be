import { Alert, Button, SpaceBetween, StatusIndicator } from "@cloudscape-design/components";
import { Fragment } from "react";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Leak, Rotation, Token, Usage } from "../../../api/types.ts";
import { DangerButton } from "../../../parts/danger-button.tsx";
import { useDialogs } from "../../../parts/dialog.tsx";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { PageLink } from "../../../parts/page.tsx";
import { useNow } from "../../../parts/time.ts";
import { tokenName } from "../../../parts/token-name.tsx";
import { Address, Moment } from "../../../parts/values.tsx";
import { useUsage } from "../../../records/token-queries.ts";
import { EndOldDialog, LeakDialog, RevokeDialog } from "../dialogs/confirm-dialogs.tsx";
import { InviteDialog } from "../dialogs/issue-dialogs.tsx";
import { isRevocable, isUnredeemed, statusOf } from "../token/token-status.ts";
import { type LeakWarning, leakWarning } from "./leaks.ts";
import { RotationState } from "./rotation-state.tsx";

/** Warns about usage of a token or an invitation that an admin should act on. */
export const UsageAlerts = ({ token }: { token: Token }) => {
  const { data: usage } = useUsage(token.token_id);
  const status = statusOf(token, useNow());
  if (!usage || !isRevocable(status)) return null;
  const warning = leakWarning(token, usage);
  return (
    <>
      {warning && <LeakAlert token={token} warning={warning} />}
      {status === "rotated" && usage.rotation && (
        <RotationAlert token={token} usage={usage} rotation={usage.rotation} />
      )}
    </>
  );
};

/** Shows whether the client has switched to the new token, and offers to revoke the old token early. */
const RotationAlert = (props: { token: Token; usage: Usage; rotation: Rotation }) => {
  const { open } = useDialogs();
  useFocusAfterwards();
  const endOld = () => open(<EndOldDialog token={props.token} />);
  return <RotationState {...props} action={<Button onClick={endOld}>End the old token now</Button>} />;
};

/** Marks a token that was used from a wrong address. *Needs attention* and the token's page list the addresses. */
export const LeakMark = ({ token }: { token: Token }) => (
  <StatusIndicator type="warning">
    <span className="whole-words">
      <PageLink href={addresses.token(token.token_id)}>Wrong address</PageLink>
    </span>
  </StatusIndicator>
);

/** Warns that the token's secret was used from a wrong address that nobody has recognised. */
const LeakAlert = ({ token, warning }: { token: Token; warning: LeakWarning }) => {
  useFocusAfterwards();
  const { calls, last, unlistedCalls, cause } = warning;
  const others = warning.addresses.filter((ip) => ip !== last.ip).map((source_ip) => ({ source_ip }));
  const isOne = others.length === 0 && unlistedCalls === 0;
  return (
    <Alert
      type="warning"
      header={
        <>
          Somebody used this {cause === "token" ? "token" : "invitation"} from <Address ip={last.ip} />,{" "}
          {whatIsWrong(true)}
        </>
      }
    >
      <SpaceBetween size="s">
        <div>
          {calls === 1
            ? "The call was rejected"
            : `${calls.toLocaleString("en")} calls were rejected in seven days, the last`}{" "}
          <Moment time={last.time} />
          {others.length > 0 && (
            <>
              ; others came from <AddressList from={others} />
            </>
          )}
          {others.length > maxNamed && ` and ${(others.length - maxNamed).toLocaleString("en")} more, listed below`}.{" "}
          {unlistedCalls > 0 &&
            `${unlistedCalls.toLocaleString("en")} came from further addresses, which are not listed; the log names them. `}
          {cause === "used invitation"
            ? "The invitation had already been exchanged for this token. Does the client have it? If not, somebody else does."
            : leakQuestion(token, isOne)}
          {!isOne && cause !== "invitation" && " You can stop the warning for each address below."}
        </div>
        <LeakSteps token={token} ip={isOne ? last.ip : undefined} />
      </SpaceBetween>
    </Alert>
  );
};

const maxNamed = 3;

/** Lists the first addresses, each with the time of its last call if given. */
const AddressList = ({ from }: { from: { source_ip: string; last_at?: string }[] }) =>
  from.slice(0, maxNamed).map(({ source_ip, last_at }, index) => (
    <Fragment key={source_ip}>
      {index > 0 && ", "}
      <Address ip={source_ip} />
      {last_at !== undefined && (
        <>
          {" "}
          (<Moment time={last_at} />)
        </>
      )}
    </Fragment>
  ));

/** Lists a leak's addresses with the time of the last call, most recent first, and says whether there are more. */
export const LeakAddresses = ({ leak: { addresses, unlisted_at } }: { leak: Leak }) => (
  <>
    <AddressList from={addresses.toSorted((one, other) => other.last_at.localeCompare(one.last_at))} />
    {addresses.length > maxNamed && `, ${addresses.length - maxNamed} more`}
    {unlisted_at !== null && (
      <>
        {addresses.length > 0 && " and "}further addresses (<Moment time={unlisted_at} />)
      </>
    )}
  </>
);

/** Says what is wrong with the preceding addresses. */
export const whatIsWrong = (isOne: boolean): string =>
  isOne ? "an address that is not its own" : "addresses that are not its own";

/** Returns the question that the admin has to answer. */
export const leakQuestion = (token: Token, isOne: boolean): string => {
  if (isUnredeemed(token)) return "Either it is for the wrong address, or somebody else has read it.";
  return isOne ? "Was it your client?" : "Were they all your client?";
};

/** Says what to do for each answer. If there was more than one address, the token's page has a button for each. */
export const LeakSteps = ({ token, ip }: { token: Token; ip: string | undefined }) => {
  const { open } = useDialogs();
  const labelled = (text: string) => ({ children: text, ariaLabel: `${text}: ${tokenName(token)}` });
  const isInvitation = isUnredeemed(token);
  const isOfWorkload = token.trust_id !== null;
  const known = isInvitation ? undefined : ip;
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <DangerButton
        variant="normal"
        {...labelled(`${isInvitation ? "Revoke" : "No, revoke"}${isOfWorkload ? "" : " and invite again"}`)}
        onClick={() => open(<RevokeDialog token={token} isReplaced={!isOfWorkload} />)}
      />
      {known !== undefined && !isOfWorkload && (
        <Button {...labelled("Yes, it moved")} onClick={() => open(<InviteDialog model={{ token, ip: known }} />)} />
      )}
      {known !== undefined && (
        <Button
          {...labelled("Yes, stop warning")}
          onClick={() => open(<LeakDialog decision="dismiss" token={token} ip={known} />)}
        />
      )}
    </SpaceBetween>
  );
};
