import Alert, { type AlertProps } from "@cloudscape-design/components/alert";
import type { Token } from "../../../api/types.ts";
import { FormDialog } from "../../../parts/dialog.tsx";
import { Moment } from "../../../parts/values.tsx";
import { BoundAddress, TokenMention, tokenName } from "../../../tokens/token-name.tsx";
import { useTokenAction } from "../../../tokens/token-queries.ts";
import { type RotationProgress, rotationProgress, useUsage } from "../usage/use-usage.ts";

/** Revokes the old token of a rotation before it ends by itself. Asks on the basis of the usage, which is loaded again. */
export const FinishDialog = ({ token, onClose }: { token: Token; onClose: () => void }) => {
  const { data: usage } = useUsage(token.token_id);
  const finish = useTokenAction({
    send: (api) => api("revoke", { token_id: token.token_id }),
    notice: (revoked) => `The rotation is finished: the old token of ${tokenName(revoked)} was revoked.`,
    onClose,
  });
  if (!usage?.rotation) return null;
  const { rotation } = usage;
  const progress = rotationProgress(usage, rotation);
  return (
    <FormDialog
      title="Finish the rotation"
      submitText="Revoke the old token"
      failureTitle="The old token was not revoked"
      unknownOutcomeText="The old token may or may not have been revoked. It is safe to revoke it again."
      sending={finish}
      onCancel={onClose}
      onSubmit={finish.run}
    >
      <Alert type={types[progress]}>
        {progress === "old-in-use" && (
          <>
            The client at <BoundAddress token={token} /> last used the old token{" "}
            <Moment time={usage.last_used_at ?? token.last_used_at} />, after the rotation. Unless it has switched to
            the successor since then, it will be refused.
          </>
        )}
        {progress === "successor-unused" && (
          <>
            The successor has not been used. If the client at <BoundAddress token={token} /> does not have it yet, the
            client will be refused.
          </>
        )}
        {progress === "unknown" && (
          <>
            This stage does not log successful calls, so it is not known whether the client at{" "}
            <BoundAddress token={token} /> uses the successor. If it does not, it will be refused.
          </>
        )}
        {progress === "changed" && (
          <>
            The client at <BoundAddress token={token} /> has switched to the successor: it first used it{" "}
            <Moment time={rotation.successor_first_used_at} />, and it has not used the old token since its rotation.
          </>
        )}
      </Alert>
      <div>
        The old token of <TokenMention token={token} /> is refused from its next request. The successor remains valid.
      </div>
      <div>
        This cannot be undone. If you do nothing, the old token ends <Moment time={token.expires_at} /> by itself.
      </div>
    </FormDialog>
  );
};

const types: Record<RotationProgress, AlertProps.Type> = {
  "old-in-use": "warning",
  "successor-unused": "warning",
  unknown: "warning",
  changed: "success",
};
