import { Alert, type AlertProps, Button, SpaceBetween, StatusIndicator } from "@cloudscape-design/components";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Rotation, Token, Usage } from "../../../api/types.ts";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { PageLink } from "../../../parts/page.tsx";
import { useNow } from "../../../parts/time.ts";
import { Address, Moment } from "../../../parts/values.tsx";
import { useOpenDialog } from "../token/open-dialog.ts";
import { isRevocable, statusOf } from "../token/token-status.ts";
import { harmfulLeaks, type Leaks, type LeakWarning, leakWarning } from "./leak-sources.ts";
import { AddressList, LeakSteps, leakQuestion, maxNamed, whatIsWrong } from "./leak-steps.tsx";
import { rotationProgress, useUsage } from "./use-usage.ts";

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

interface RotationAlertProps {
  token: Token;
  usage: Usage;
  rotation: Rotation;
}

/** Shows whether the client has switched to the new token, and offers to revoke the old token early. */
const RotationAlert = ({ token, usage, rotation }: RotationAlertProps) => {
  const open = useOpenDialog();
  useFocusAfterwards();
  const { type, header } = summaries[rotationProgress(usage, rotation)];
  const { used_since, successor_first_used_at } = rotation;
  return (
    <Alert
      type={type}
      header={header}
      action={<Button onClick={() => open({ name: "end old", token })}>End the old token now</Button>}
    >
      {used_since && (
        <>
          It was used <Moment time={usage.last_used_at ?? token.last_used_at} />, after its rotation.{" "}
        </>
      )}
      {successor_first_used_at === null ? (
        unusedToken(usage)
      ) : (
        <>
          The new token was first used <Moment time={successor_first_used_at} />.
        </>
      )}{" "}
      The old token ends <Moment time={token.expires_at} /> by itself.
    </Alert>
  );
};

const summaries: Record<ReturnType<typeof rotationProgress>, { type: AlertProps.Type; header: string }> = {
  "old-in-use": { type: "warning", header: "The old token is still in use" },
  "new-unused": { type: "info", header: "The new token is not in use yet" },
  unknown: { type: "info", header: "It is not known whether the client has switched to the new token" },
  changed: { type: "success", header: "The client has switched to the new token" },
};

const unusedToken = ({ log_level }: Usage): string =>
  log_level === "info"
    ? "The new token has not been used."
    : "This stage does not log successful calls, so it is not known whether the new token has been used.";

/** Marks a token that was used from a wrong address. *Needs attention* and the token's page list the addresses. */
export const LeakMark = ({ token, leaks }: { token: Token; leaks: Leaks | undefined }) =>
  harmfulLeaks(leaks, [token], useNow()).length > 0 && (
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
            ? "The call was refused"
            : `${calls.toLocaleString("en")} calls were refused in seven days, the last`}{" "}
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
            ? "The invitation had become this token before. Does the client have it? If not, somebody else does."
            : leakQuestion(token, isOne)}
          {!isOne && cause !== "invitation" && " You can stop the warning for each address below."}
        </div>
        <LeakSteps token={token} ips={[last.ip]} isOne={isOne} />
      </SpaceBetween>
    </Alert>
  );
};
