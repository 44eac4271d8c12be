import { Alert } from "@cloudscape-design/components";
import { useState } from "react";
import type { Token } from "../../../api/types.ts";
import { Moment } from "../../../parts/values.tsx";
import { TokenMention, tokenName } from "../../../tokens/token-name.tsx";
import { useOpenDialog } from "../token/open-dialog.ts";
import { isInvited, statusOf } from "../token/token-status.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

interface RevokeDialogProps {
  token: Token;
  /** Whether the client is invited again afterwards. */
  isReplaced: boolean;
  onClose: () => void;
}

/** Ends a token, or an invitation, at once and for good. */
export const RevokeDialog = ({ token, isReplaced, onClose }: RevokeDialogProps) => {
  const open = useOpenDialog();
  // As it was when the admin decided to revoke it: the client may redeem the invitation while the dialog is open.
  const [what] = useState(() => (isInvited(statusOf(token, Date.now())) ? "invitation" : "token"));
  return (
    <ConfirmDialog
      title={isReplaced ? `Revoke the ${what} and invite again` : `Revoke the ${what}`}
      submitText={`Revoke ${what}`}
      isDangerous
      failureTitle={`The ${what} was not revoked`}
      unknownOutcomeText={`The ${what} may or may not have been revoked. It is safe to revoke it again.`}
      send={(api) => api("revoke", { token_id: token.token_id })}
      notice={(ended) => noticeOf(what, token, ended)}
      onClose={onClose}
      {...(isReplaced && { onDone: (ended) => open({ name: "invite", model: { token: ended, ip: token.ip } }) })}
    >
      {what === "token" ? <TokenLoss token={token} /> : <InvitationLoss token={token} />}
      {isReplaced && <div>Next, you can invite the client again, with the same comment and limits.</div>}
      <Alert type="warning">This cannot be undone. The record stays in the table for 90 days.</Alert>
    </ConfirmDialog>
  );
};

/** The token may have ended or been replaced after it was shown. */
const noticeOf = (what: string, shown: Token, ended: Token): string => {
  const name = `${what === "token" ? "" : "for "}${tokenName(ended)}`;
  const outcome = ended.state === "revoked" ? "was revoked." : "had already ended.";
  const isReplaced = ended.successor_id !== shown.successor_id;
  return `The ${what} ${name} ${outcome}${isReplaced ? " It has been replaced meanwhile: the new token may still work." : ""}`;
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
    {token.successor_id !== null && <div>The new token that replaced it keeps working.</div>}
  </>
);

const InvitationLoss = ({ token }: { token: Token }) => (
  <div>
    The invitation for <TokenMention token={token} /> can no longer be used. If the client has used it in the meantime,
    its token is refused from the next request.
  </div>
);
