import { useState } from "react";
import type { Token } from "../../../api/types.ts";
import { FormDialog } from "../../../parts/dialog.tsx";
import { type Terms, termsOf, unchangedExpiry } from "../../../tokens/terms.ts";
import { BoundAddress, tokenName } from "../../../tokens/token-name.tsx";
import { useTokenAction } from "../../../tokens/token-queries.ts";
import { TermFields } from "./term-fields.tsx";

/** Changes the comment, the expiry and the limit of a token. */
export const EditDialog = ({ token, onClose }: { token: Token; onClose: () => void }) => {
  const [typed, setTyped] = useState({
    comment: token.comment,
    expiry: unchangedExpiry,
    limit: String(token.rate_limit ?? ""),
  });
  const [isSubmitted, setSubmitted] = useState(false);
  const save = useTokenAction<Partial<Terms>>({
    send: (api, edit) => api("update", { token_id: token.token_id, ...edit }),
    notice: (edited) => `The token ${tokenName(edited)} was edited.`,
    onClose,
  });

  const submit = () => {
    setSubmitted(true);
    const terms = termsOf(typed, Date.now(), token.expires_at);
    if (terms === undefined) return;
    const edit = editedTerms(token, terms);
    if (Object.keys(edit).length === 0) onClose();
    else save.run(edit);
  };
  return (
    <FormDialog
      title="Edit the token"
      submitText="Save changes"
      failureTitle="The token was not edited"
      unknownOutcomeText="The changes may or may not have been saved. It is safe to save them again."
      sending={save}
      onCancel={onClose}
      onSubmit={submit}
    >
      <div>
        The token itself stays the same, so its client needs no change. It remains bound to{" "}
        <BoundAddress token={token} />.
      </div>
      <TermFields
        typed={typed}
        onChange={setTyped}
        isSubmitted={isSubmitted}
        failure={save.failure}
        current={token.expires_at}
        fixedExpiry={
          token.successor_id === null
            ? undefined
            : "The token was rotated, so its grace period decides when it ends. Finish the rotation or revoke the token to end it earlier."
        }
      />
    </FormDialog>
  );
};

/** The terms that differ from the token's, so that an edit does not undo what someone else has changed in the others. */
const editedTerms = (token: Token, { comment, expires_at, rate_limit }: Terms): Partial<Terms> => ({
  ...(comment !== token.comment && { comment }),
  ...(expires_at !== token.expires_at && { expires_at }),
  ...(rate_limit !== token.rate_limit && { rate_limit }),
});
