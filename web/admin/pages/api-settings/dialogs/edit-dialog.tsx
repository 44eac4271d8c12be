import { FormField } from "@cloudscape-design/components";
import { useRef } from "react";
import type { AdminApi } from "../../../api/admin-api.ts";
import { ApiFailure } from "../../../api/api-failure.ts";
import type { Token, Trust } from "../../../api/types.ts";
import { FormDialog } from "../../../parts/dialog.tsx";
import { useForm } from "../../../parts/form.ts";
import { localTime } from "../../../parts/time.ts";
import { ExactMoment } from "../../../parts/values.tsx";
import { visibleText } from "../../../parts/visible-characters.ts";
import {
  describeRateLimit,
  type Terms,
  termErrors,
  termsLike,
  termsOf,
  unchangedExpiry,
} from "../../../tokens/terms.ts";
import { BoundAddress, tokenName } from "../../../tokens/token-name.tsx";
import { type TokenAction, useTokenAction } from "../../../tokens/token-queries.ts";
import { CommentField, ExpiryField, LimitField } from "./term-fields.tsx";

/** Changes a token's comment, expiry and limit. */
export const EditDialog = ({ token, onClose }: { token: Token; onClose: () => void }) => {
  const save = useEdit<Terms, Token>({
    ...{ record: token, describe: describeTerms, onClose },
    load: (api) => api("get", { token_id: token.token_id }),
    save: (api, edit) => api("update", { token_id: token.token_id, ...edit }),
    notice: (edited) => `The token ${tokenName(edited)} was edited.`,
  });
  const form = useForm({
    initial: { ...termsLike(token, Date.now()), expires_at: unchangedExpiry },
    check: (typed) => termErrors(typed, token.expires_at),
    onSubmit: (typed) => save.submit(termsOf(typed, Date.now(), token.expires_at)),
    failure: save.failure,
  });
  return (
    <FormDialog
      title="Edit the token"
      submitText="Save changes"
      failureTitle="The token was not edited"
      unknownOutcomeText="The changes may or may not have been saved. It is safe to save them again."
      form={form}
      sending={save}
      onCancel={onClose}
    >
      <div>
        The token itself stays the same, so its client needs no change. It remains bound to{" "}
        <BoundAddress token={token} />.
      </div>
      <CommentField {...form.fields.comment} />
      {token.successor_id === null ? (
        <ExpiryField {...form.fields.expires_at} current={token.expires_at} />
      ) : (
        <FormField
          label="Expires"
          description="The token was rotated, so its grace period decides when it ends. To end it earlier, end the old token now."
        >
          <ExactMoment time={token.expires_at} otherwise="Never" />
        </FormField>
      )}
      <LimitField {...form.fields.rate_limit} />
    </FormDialog>
  );
};

/** Describes the values of terms in a sentence. */
export const describeTerms = {
  comment: ({ comment }: Terms) => (comment === "" ? "no comment" : `“${visibleText(comment)}”`),
  expires_at: ({ expires_at }: Terms) => (expires_at === null ? "never" : localTime(expires_at)),
  rate_limit: ({ rate_limit }: Terms) => (rate_limit === null ? "no limit" : describeRateLimit(rate_limit)),
};

interface EditOptions<Fields, Edited> extends Pick<TokenAction<unknown, Edited>, "notice"> {
  /** The record as the admin saw it. */
  record: Edited;
  /** Describes the value of each editable field. */
  describe: { [Name in keyof Fields]: (fields: Fields) => string };
  load: (api: AdminApi) => Promise<Edited>;
  save: (api: AdminApi, edit: Partial<Fields>) => Promise<Edited>;
  onClose: () => void;
}

/**
 * Sends only the fields that differ from the record, so that an edit doesn't undo someone else's changes to other fields. If
 * somebody else has changed one of the same fields meanwhile, it warns once instead of sending.
 */
export const useEdit = <Fields, Edited extends Fields & (Token | Trust)>(options: EditOptions<Fields, Edited>) => {
  const { record, describe, load, save, notice, onClose } = options;
  const seen = useRef(record);
  const sending = useTokenAction<Partial<Fields>, Edited>({
    send: async (api, edit) => {
      const current = await load(api);
      const [before, now]: [Fields, Fields] = [seen.current, current];
      const fields: Record<string, string[]> = {};
      for (const name in describe) {
        if (!(name in edit) || now[name] === before[name]) continue;
        fields[name] = [`Somebody has changed this to ${describe[name](now)}. Save again to replace it.`];
      }
      seen.current = current;
      if (Object.keys(fields).length > 0) throw new ApiFailure({ status: 409, fields });
      return save(api, edit);
    },
    notice,
    onClose,
  });
  const submit = (fields: Fields | undefined): void => {
    if (!fields) return;
    const before: Fields = record;
    const edit: Partial<Fields> = {};
    for (const name in describe) if (fields[name] !== before[name]) edit[name] = fields[name];
    if (Object.keys(edit).length === 0) onClose();
    else sending.run(edit);
  };
  return { ...sending, submit };
};
