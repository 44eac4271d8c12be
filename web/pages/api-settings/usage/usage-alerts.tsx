import { Alert, type AlertProps, Button } from "@cloudscape-design/components";
import type { Rotation, Token, Usage } from "../../../api/types.ts";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { useNow } from "../../../parts/time.ts";
import { Moment } from "../../../parts/values.tsx";
import { useOpenDialog } from "../token/open-dialog.ts";
import { isRevocable, statusOf } from "../token/token-status.ts";
import { LeakAlert } from "./leak-alert.tsx";
import { leakWarning } from "./leak-sources.ts";
import { rotationProgress, useUsage } from "./use-usage.ts";

/** What an admin should act on in the usage of a token, or of an invitation. */
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

/** Shows whether the client has switched to the new token, and offers to revoke the old token before it ends. */
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
