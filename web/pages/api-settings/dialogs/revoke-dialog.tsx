import Alert from "@cloudscape-design/components/alert";
import { useState } from "react";
import type { Token } from "../../../api/types.ts";
import { FormDialog } from "../../../parts/dialog.tsx";
import { Moment } from "../../../parts/values.tsx";
import { TokenMention, tokenName } from "../../../tokens/token-name.tsx";
import { useTokenAction } from "../../../tokens/token-queries.ts";
import { isInvited, statusOf } from "../token/token-status.ts";

/** Ends a token, or an invitation, at once and for good. */
export const RevokeDialog = ({ token, onClose }: { token: Token; onClose: () => void }) => {
  // As it was when the admin decided to revoke it: the client may redeem the invitation while the dialog is open.
  const [what] = useState(() => (isInvited(statusOf(token, Date.now())) ? "invitation" : "token"));
  const revoke = useTokenAction({
    send: (api) => api("revoke", { token_id: token.token_id }),
    notice: (revoked) => `The ${what} ${what === "token" ? "" : "for "}${tokenName(revoked)} was revoked.`,
    onClose,
  });
  return (
    <FormDialog
      title={`Revoke the ${what}`}
      submitText={`Revoke ${what}`}
      failureTitle={`The ${what} was not revoked`}
      unknownOutcomeText={`The ${what} may or may not have been revoked. It is safe to revoke it again.`}
      sending={revoke}
      onCancel={onClose}
      onSubmit={revoke.run}
    >
      {what === "token" ? <TokenLoss token={token} /> : <InvitationLoss token={token} />}
      <Alert type="warning">This cannot be undone. The record stays in the table for 90 days.</Alert>
    </FormDialog>
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
