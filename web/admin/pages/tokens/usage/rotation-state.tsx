import { Alert, type AlertProps } from "@cloudscape-design/components";
import type { ReactNode } from "react";
import type { Rotation, Token, Usage } from "../../../api/types.ts";
import { BoundAddress } from "../../../parts/token-name.tsx";
import { Moment } from "../../../parts/values.tsx";
import { type RotationProgress, rotationProgress } from "../token/token-status.ts";

interface RotationStateProps {
  token: Token;
  usage: Usage;
  rotation: Rotation;
  action?: ReactNode;
  /** Whether the admin is about to end the old token: this is a risk unless the client has switched. */
  isEnding?: boolean;
}

/** Shows whether the client has switched to the new token. */
export const RotationState = ({ token, usage, rotation, action, isEnding = false }: RotationStateProps) => {
  const { used_since, successor_first_used_at } = rotation;
  const unused =
    usage.log_level === "info"
      ? "The new token has not been used."
      : "This stage does not log successful calls, so the service can't tell whether the new token has been used.";
  const progress = rotationProgress(usage, rotation);
  const isRisk = isEnding && progress !== "changed";
  const { type, header } = summaries[progress];
  return (
    <Alert type={isRisk ? "warning" : type} header={header} action={action}>
      {used_since && (
        <>
          It was used <Moment time={usage.last_used_at ?? token.last_used_at} />, after its rotation.{" "}
        </>
      )}
      {successor_first_used_at === null ? (
        unused
      ) : (
        <>
          The new token was first used <Moment time={successor_first_used_at} />.
        </>
      )}{" "}
      {isRisk && (
        <>
          If the client at <BoundAddress token={token} /> does not have the new token yet, its calls will be rejected.{" "}
        </>
      )}
      {isEnding ? "If you do nothing, the old" : "The old"} token ends <Moment time={token.expires_at} />.
    </Alert>
  );
};

const summaries: Record<RotationProgress, { type: AlertProps.Type; header: string }> = {
  "old-in-use": { type: "warning", header: "The old token is still in use" },
  "new-unused": { type: "info", header: "The new token is not in use yet" },
  unknown: { type: "info", header: "The service can't tell whether the client has switched to the new token" },
  changed: { type: "success", header: "The client has switched to the new token" },
};
