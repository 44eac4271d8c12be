import { FormField } from "@cloudscape-design/components";
import { useRef, useState } from "react";
import { ApiFailure } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { FormDialog } from "../../../parts/dialog.tsx";
import { localTime } from "../../../parts/time.ts";
import { ExactMoment } from "../../../parts/values.tsx";
import { visibleText } from "../../../parts/visible-characters.ts";
import { describeRateLimit, type Terms, termsOf, unchangedExpiry } from "../../../tokens/terms.ts";
import { BoundAddress, tokenName } from "../../../tokens/token-name.tsx";
import { useTokenAction } from "../../../tokens/token-queries.ts";
import { CommentField, ExpiryField, LimitField } from "./term-fields.tsx";

/** Changes the comment, the expiry and the limit of a token. */
export const EditDialog = ({ token, onClose }: { token: Token; onClose: () => void }) => {
  const [typed, setTyped] = useState({
    comment: token.comment,
    expiry: unchangedExpiry,
    limit: String(token.rate_limit ?? ""),
  });
  const [isSubmitted, setSubmitted] = useState(false);
  const seen = useRef(token);
  const save = useTokenAction<Partial<Terms>>({
    send: async (api, edit) => {
      const current = await api("get", { token_id: token.token_id });
      const fields = changedTerms(edit, { seen: seen.current, current });
      seen.current = current;
      if (Object.keys(fields).length > 0) throw new ApiFailure({ status: 409, fields });
      return api("update", { token_id: token.token_id, ...edit });
    },
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
  const fields = { typed, onChange: setTyped, isSubmitted, failure: save.failure };
  return (
    <FormDialog
      title="Edit the token"
      submitText="Save changes"
      failureTitle="The token was not edited"
      unknownOutcomeText="The changes may or may not have been saved. It is safe to save them again."
      entered={typed}
      sending={save}
      onCancel={onClose}
      onSubmit={submit}
    >
      <div>
        The token itself stays the same, so its client needs no change. It remains bound to{" "}
        <BoundAddress token={token} />.
      </div>
      <CommentField {...fields} />
      {token.successor_id === null ? (
        <ExpiryField {...fields} current={token.expires_at} />
      ) : (
        <FormField
          label="Expires"
          description="The token was rotated, so its grace period decides when it ends. To end it earlier, end the old token now."
        >
          <ExactMoment time={token.expires_at} otherwise="Never" />
        </FormField>
      )}
      <LimitField {...fields} />
    </FormDialog>
  );
};

/** The terms that differ from the token's, so that an edit does not undo what someone else has changed in the others. */
const editedTerms = (token: Token, { comment, expires_at, rate_limit }: Terms): Partial<Terms> => ({
  ...(comment !== token.comment && { comment }),
  ...(expires_at !== token.expires_at && { expires_at }),
  ...(rate_limit !== token.rate_limit && { rate_limit }),
});

/** For each term that an edit is about to replace, what somebody else has made of it since the admin saw it. */
const changedTerms = (edit: Partial<Terms>, { seen, current }: { seen: Terms; current: Terms }) =>
  Object.fromEntries(
    termNames
      .filter((name) => name in edit && current[name] !== seen[name])
      .map((name) => [name, [`Somebody has changed this to ${describe[name](current)}. Save again to replace it.`]]),
  );

const termNames = ["comment", "expires_at", "rate_limit"] as const;

const describe: Record<keyof Terms, (terms: Terms) => string> = {
  comment: ({ comment }) => (comment === "" ? "no comment" : `“${visibleText(comment)}”`),
  expires_at: ({ expires_at }) => (expires_at === null ? "never" : localTime(expires_at)),
  rate_limit: ({ rate_limit }) => (rate_limit === null ? "no limit" : describeRateLimit(rate_limit)),
};
