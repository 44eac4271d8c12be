import Alert from "@cloudscape-design/components/alert";
import type { Token } from "../../api/token.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Moment } from "../../parts/moment.tsx";
import { useSubmit } from "../../parts/use-submit.ts";
import { useApp } from "../../shell/app-context.ts";
import type { TokenDialogProps } from "./token-dialog.tsx";
import { TokenMention, tokenName } from "./token-name.tsx";

/** Ends a token at once, for good. */
export const RevokeDialog = ({ token, onClose, onChange }: TokenDialogProps & { token: Token }) => {
  const { api, notify } = useApp();
  const { isBusy, failure, submit } = useSubmit();

  const revoke = async () => {
    onChange(await api.revokeToken(token.token_id));
    notify(`The token ${tokenName(token)} was revoked.`);
    onClose();
  };

  return (
    <FormDialog
      title="Revoke the token"
      submitText="Revoke token"
      failureTitle="The token was not revoked"
      doubt="It is not known whether it was revoked. Revoke it again: that does no harm."
      {...{ isBusy, failure }}
      onCancel={onClose}
      onSubmit={() => submit(revoke)}
    >
      <div>
        <TokenMention token={token} /> is refused from its next request on. The client at that address can no longer
        call the API until it has another token.
      </div>
      <div>
        Last used: <Moment time={token.last_used_at} otherwise="never" />
        {token.last_used_at !== null && " (to within 5 minutes)"}.
      </div>
      {token.successor_id !== null && <div>Its successor goes on.</div>}
      <Alert type="warning">This cannot be undone. The record stays in the table for 90 days.</Alert>
    </FormDialog>
  );
};
