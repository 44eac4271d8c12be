import FormField from "@cloudscape-design/components/form-field";
import { useState } from "react";
import type { ActionInput } from "../../../../lambdas/admin/action-input.ts";
import { fieldError } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { useApp, useSending } from "../../../parts/app-context.tsx";
import { FormDialog } from "../../../parts/dialog.tsx";
import { ExactMoment } from "../../../parts/values.tsx";
import { expiresAt, expiryError, parseRateLimit, unchangedExpiry } from "../../../tokens/terms.ts";
import { BoundAddress, tokenName } from "../../../tokens/token-name.tsx";
import { useTokenCache } from "../../../tokens/token-queries.ts";
import { CommentField, commentError, ExpiryField, RateLimitField, rateLimitError } from "./term-fields.tsx";

/** Changes the comment, the expiry and the limit of a token. */
export const EditDialog = ({ token, onClose }: { token: Token; onClose: () => void }) => {
  const { notify } = useApp();
  const { update, reloadAfter } = useTokenCache();
  const [comment, setComment] = useState(token.comment);
  const [expiry, setExpiry] = useState(unchangedExpiry);
  const [limit, setLimit] = useState(String(token.rate_limit ?? ""));
  const [isSubmitted, setSubmitted] = useState(false);
  const save = useSending((api, edit: TokenEdit) => api("update", { token_id: token.token_id, ...edit }), {
    onDone: (edited) => {
      update(edited);
      notify(`The token ${tokenName(edited)} was edited.`);
      onClose();
    },
    onFailure: reloadAfter,
  });

  const end = expiresAt(expiry, Date.now(), token.expires_at);
  const submit = () => {
    setSubmitted(true);
    const rateLimit = parseRateLimit(limit);
    if (commentError(comment) !== "" || end === undefined || rateLimit === undefined) return;
    const edit = editedFields(token, { comment, expires_at: end, rate_limit: rateLimit });
    if (Object.keys(edit).length === 0) onClose();
    else save.run(edit);
  };
  const errorAt = (field: keyof TokenEdit, ownError: string) =>
    (isSubmitted ? ownError : "") || fieldError(save.failure, field);

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
      <CommentField value={comment} error={errorAt("comment", commentError(comment))} onChange={setComment} />
      {token.successor_id === null ? (
        <ExpiryField
          value={expiry}
          current={token.expires_at}
          error={errorAt("expires_at", expiryError(end))}
          onChange={setExpiry}
        />
      ) : (
        <FormField
          label="Expires"
          description="The token was rotated, so its grace period decides when it ends. Finish the rotation or revoke the token to end it earlier."
        >
          <ExactMoment time={token.expires_at} otherwise="Never" />
        </FormField>
      )}
      <RateLimitField value={limit} error={errorAt("rate_limit", rateLimitError(limit))} onChange={setLimit} />
    </FormDialog>
  );
};

/** What an edit sends. */
type TokenEdit = Omit<ActionInput<"update">, "token_id">;

/** The terms of a token that can be edited. */
type EditableTerms = Required<TokenEdit>;

/** The fields that differ from the token's, so that an edit does not undo what someone else has changed in the others. */
const editedFields = (token: Token, { comment, expires_at, rate_limit }: EditableTerms): TokenEdit => ({
  ...(comment !== token.comment && { comment }),
  ...(expires_at !== token.expires_at && { expires_at }),
  ...(rate_limit !== token.rate_limit && { rate_limit }),
});
