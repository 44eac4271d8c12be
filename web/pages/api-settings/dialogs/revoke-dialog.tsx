import Alert from "@cloudscape-design/components/alert";
import { useMutation } from "@tanstack/react-query";
import type { Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { TokenMention, tokenName } from "../token/token-name.tsx";
import { useTokenCache } from "../token/token-queries.ts";

/** Ends a token at once and for good. */
export const RevokeDialog = ({ token, onClose }: { token: Token; onClose: () => void }) => {
  const { api, notify } = useApp();
  const { update } = useTokenCache();
  const revoke = useMutation({
    mutationFn: () => api("revoke", { token_id: token.token_id }),
    onSuccess: (revoked) => {
      update(revoked);
      notify(`The token ${tokenName(token)} was revoked.`);
      onClose();
    },
  });

  return (
    <FormDialog
      title="Revoke the token"
      submitText="Revoke token"
      failureTitle="The token was not revoked"
      unknownOutcomeText="The token may or may not have been revoked. It is safe to revoke it again."
      isPending={revoke.isPending}
      failure={revoke.error}
      onCancel={onClose}
      onSubmit={revoke.mutate}
    >
      <div>
        <TokenMention token={token} /> is refused from its next request. The client at that address can no longer call
        the API until it has another token.
      </div>
      <div>
        Last used: <Moment time={token.last_used_at} otherwise="never" />
        {token.last_used_at !== null && " (to within 5 minutes)"}.
      </div>
      {token.successor_id !== null && <div>Its successor remains valid.</div>}
      <Alert type="warning">This cannot be undone. The record stays in the table for 90 days.</Alert>
    </FormDialog>
  );
};
