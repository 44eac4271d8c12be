import { Alert, type AlertProps } from "@cloudscape-design/components";
import type { ReactNode } from "react";
import type { Token } from "../../../api/types.ts";
import { Moment } from "../../../parts/values.tsx";
import { BoundAddress, TokenMention, tokenName } from "../../../tokens/token-name.tsx";
import { type RotationProgress, rotationProgress, useUsage } from "../usage/use-usage.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

/** Revokes the old token of a rotation before it ends by itself. Asks on the basis of the usage, which is loaded again. */
export const EndOldDialog = ({ token, onClose }: { token: Token; onClose: () => void }) => {
  const { data: usage } = useUsage(token.token_id);
  if (!usage?.rotation) return null;
  const progress = rotationProgress(usage, usage.rotation);
  const client = (
    <>
      client at <BoundAddress token={token} />
    </>
  );
  const used = <Moment time={usage.last_used_at ?? token.last_used_at} />;
  const bases: Record<RotationProgress, ReactNode> = {
    "old-in-use": (
      <>
        The {client} last used the old token {used}, after the rotation. Unless it has switched to the new token since
        then, it will be refused.
      </>
    ),
    "new-unused": (
      <>The new token has not been used. If the {client} does not have it yet, the client will be refused.</>
    ),
    unknown: (
      <>
        This stage does not log successful calls, so it is not known whether the {client} uses the new token. If it does
        not, it will be refused.
      </>
    ),
    changed: (
      <>
        The {client} has switched to the new token: it first used it{" "}
        <Moment time={usage.rotation.successor_first_used_at} />, and it has not used the old token since its rotation.
      </>
    ),
  };
  const type: AlertProps.Type = progress === "changed" ? "success" : "warning";
  return (
    <ConfirmDialog
      title="End the old token now"
      submitText="End the old token now"
      isDangerous
      failureTitle="The old token has not ended"
      unknownOutcomeText="The old token may or may not have ended. It is safe to try again."
      send={(api) => api("revoke", { token_id: token.token_id })}
      notice={(revoked) => `The old token of ${tokenName(revoked)} has ended.`}
      onClose={onClose}
    >
      <Alert type={type}>{bases[progress]}</Alert>
      <div>
        The old token of <TokenMention token={token} /> is refused from its next request. The new token keeps working.
      </div>
      <div>
        This cannot be undone. If you do nothing, the old token ends <Moment time={token.expires_at} /> by itself.
      </div>
    </ConfirmDialog>
  );
};
