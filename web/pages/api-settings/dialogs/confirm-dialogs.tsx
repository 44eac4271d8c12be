import { Alert, type AlertProps, FormField } from "@cloudscape-design/components";
import { type ReactNode, useState } from "react";
import { type ApiFailure, fieldError } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { FormDialog, type FormTexts } from "../../../parts/dialog.tsx";
import { Address, Moment } from "../../../parts/values.tsx";
import { BoundAddress, TokenMention, tokenName } from "../../../tokens/token-name.tsx";
import { type TokenAction, useTokenAction } from "../../../tokens/token-queries.ts";
import type { LeakDecision } from "../token/open-dialog.ts";
import { isInvited, statusOf } from "../token/token-status.ts";
import { type RotationProgress, rotationProgress, useUsage } from "../usage/use-usage.ts";

interface ConfirmDialogProps extends FormTexts, TokenAction<void> {
  children: ReactNode | ((failure: ApiFailure | null) => ReactNode);
}

/** Asks before a token is changed. There is nothing to enter. */
const ConfirmDialog = ({ send, notice, onClose, children, ...texts }: ConfirmDialogProps) => {
  const action = useTokenAction({ send, notice, onClose });
  return (
    <FormDialog {...texts} sending={action} onCancel={onClose} onSubmit={action.run}>
      {typeof children === "function" ? children(action.failure) : children}
    </FormDialog>
  );
};

interface TokenDialogProps {
  token: Token;
  onClose: () => void;
}

/** Ends a token, or an invitation, at once and for good. */
export const RevokeDialog = ({ token, onClose }: TokenDialogProps) => {
  // As it was when the admin decided to revoke it: the client may redeem the invitation while the dialog is open.
  const [what] = useState(() => (isInvited(statusOf(token, Date.now())) ? "invitation" : "token"));
  return (
    <ConfirmDialog
      title={`Revoke the ${what}`}
      submitText={`Revoke ${what}`}
      failureTitle={`The ${what} was not revoked`}
      unknownOutcomeText={`The ${what} may or may not have been revoked. It is safe to revoke it again.`}
      send={(api) => api("revoke", { token_id: token.token_id })}
      notice={(revoked) => `The ${what} ${what === "token" ? "" : "for "}${tokenName(revoked)} was revoked.`}
      onClose={onClose}
    >
      {what === "token" ? <TokenLoss token={token} /> : <InvitationLoss token={token} />}
      <Alert type="warning">This cannot be undone. The record stays in the table for 90 days.</Alert>
    </ConfirmDialog>
  );
};

const TokenLoss = ({ token }: { token: Token }) => (
  <>
    <div>
      <TokenMention token={token} /> is refused from its next request. The client at that address can no longer call the
      API until it has another token.
    </div>
    <div>
      Last used: <Moment time={token.last_used_at} otherwise="never" />
      {token.last_used_at !== null && " (to within 5 minutes)"}.
    </div>
    {token.successor_id !== null && <div>Its successor remains valid.</div>}
  </>
);

const InvitationLoss = ({ token }: { token: Token }) => (
  <div>
    The invitation for <TokenMention token={token} /> can no longer be used. If the client has used it in the meantime,
    its token is refused from the next request.
  </div>
);

/** Revokes the old token of a rotation before it ends by itself. Asks on the basis of the usage, which is loaded again. */
export const FinishDialog = ({ token, onClose }: TokenDialogProps) => {
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
        The {client} last used the old token {used}, after the rotation. Unless it has switched to the successor since
        then, it will be refused.
      </>
    ),
    "successor-unused": (
      <>The successor has not been used. If the {client} does not have it yet, the client will be refused.</>
    ),
    unknown: (
      <>
        This stage does not log successful calls, so it is not known whether the {client} uses the successor. If it does
        not, it will be refused.
      </>
    ),
    changed: (
      <>
        The {client} has switched to the successor: it first used it{" "}
        <Moment time={usage.rotation.successor_first_used_at} />, and it has not used the old token since its rotation.
      </>
    ),
  };
  const type: AlertProps.Type = progress === "changed" ? "success" : "warning";
  return (
    <ConfirmDialog
      title="Finish the rotation"
      submitText="Revoke the old token"
      failureTitle="The old token was not revoked"
      unknownOutcomeText="The old token may or may not have been revoked. It is safe to revoke it again."
      send={(api) => api("revoke", { token_id: token.token_id })}
      notice={(revoked) => `The rotation is finished: the old token of ${tokenName(revoked)} was revoked.`}
      onClose={onClose}
    >
      <Alert type={type}>{bases[progress]}</Alert>
      <div>
        The old token of <TokenMention token={token} /> is refused from its next request. The successor remains valid.
      </div>
      <div>
        This cannot be undone. If you do nothing, the old token ends <Moment time={token.expires_at} /> by itself.
      </div>
    </ConfirmDialog>
  );
};

interface LeakDialogProps extends TokenDialogProps {
  decision: LeakDecision;
  ip: string;
}

/** Asks before the service stops warning about an address, or warns about it again. */
export const LeakDialog = ({ decision, token, ip, onClose }: LeakDialogProps) => {
  const { action, notice, consequence, ...texts } = leakTexts[decision];
  return (
    <ConfirmDialog
      {...texts}
      send={(api) => api(action, { token_id: token.token_id, ip })}
      notice={() => notice(ip)}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <FormField label="Address" errorText={fieldError(failure, "ip")}>
            <Address ip={ip} />
          </FormField>
          <div>{consequence}</div>
        </>
      )}
    </ConfirmDialog>
  );
};

const leakTexts = {
  dismiss: {
    action: "dismiss_leak",
    title: "Dismiss the warning",
    submitText: "Dismiss warning",
    failureTitle: "The warning was not dismissed",
    unknownOutcomeText: "The warning may or may not have been dismissed. It is safe to dismiss it again.",
    notice: (ip: string) => `The warning about ${ip} was dismissed.`,
    consequence:
      "You recognise this address: the service will not warn about it again for this token or its successors. Its calls are still refused.",
  },
  restore: {
    action: "restore_leak",
    title: "Warn again",
    submitText: "Warn again",
    failureTitle: "The address is still dismissed",
    unknownOutcomeText: "The warning may or may not have been restored. It is safe to restore it again.",
    notice: (ip: string) => `The service warns about ${ip} again.`,
    consequence: "The service will warn about calls with the secret of this token from this address again.",
  },
} as const;
