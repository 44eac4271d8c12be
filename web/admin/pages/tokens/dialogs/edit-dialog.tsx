import { FormField } from "@cloudscape-design/components";
import { useRef } from "react";
import type { AdminApi } from "../../../api/admin-api.ts";
import { ApiFailure } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { FormDialog, useDialogs, useDone } from "../../../parts/dialog.tsx";
import { useForm } from "../../../parts/form.ts";
import { localTime } from "../../../parts/time.ts";
import { BoundAddress, tokenName } from "../../../parts/token-name.tsx";
import { ExactMoment } from "../../../parts/values.tsx";
import { visibleText } from "../../../parts/visible-characters.ts";
import {
  describeRateLimit,
  type Terms,
  termErrors,
  termsLike,
  termsOf,
  unchangedExpiry,
} from "../../../records/terms.ts";
import { CommentField, ExpiryField, LimitField } from "./term-fields.tsx";

/** Changes a token's comment, expiry and limit. */
export const EditDialog = ({ token }: { token: Token }) => {
  const { token_id, expires_at } = token;
  const save = useEdit<Terms, Token>({
    record: token,
    describe: describeTerms,
    load: (api) => api("get", { token_id }),
    save: (api, edit) => api("update", { token_id, ...edit }),
    notice: (edited) => `The token ${tokenName(edited)} was edited.`,
  });
  const form = useForm({
    initial: { ...termsLike(token, Date.now()), expires_at: unchangedExpiry },
    check: (typed) => termErrors(typed, expires_at),
    send: (api, typed) => save.send(api, termsOf(typed, Date.now(), expires_at)),
    onDone: save.onDone,
  });
  return (
    <FormDialog title="Edit the token" submitText="Save changes" failureTitle="The token was not edited" form={form}>
      <div>
        The token itself stays the same, so its client needs no change. It remains bound to{" "}
        <BoundAddress token={token} />.
      </div>
      <CommentField {...form.fields.comment} />
      {token.successor_id === null ? (
        <ExpiryField {...form.fields.expires_at} current={expires_at} />
      ) : (
        <FormField
          label="Expires"
          description="The token was rotated, so its grace period decides when it ends. To end it earlier, end the old token now."
        >
          <ExactMoment time={expires_at} otherwise="Never" />
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

interface EditOptions<Terms, Edited> {
  /** The record as the admin saw it. */
  record: Edited;
  /** Describes the value of each editable field. */
  describe: { [Name in keyof Terms]: (terms: Terms) => string };
  load: (api: AdminApi) => Promise<Edited>;
  save: (api: AdminApi, edit: Partial<Terms>) => Promise<Edited>;
  notice: (edited: Edited) => string;
}

/**
 * Sends only the fields that differ from the record, so that an edit doesn't undo someone else's changes to other fields. If
 * somebody else has changed one of the same fields meanwhile, it warns once instead of sending.
 */
export const useEdit = <Terms, Edited extends Terms>(options: EditOptions<Terms, Edited>) => {
  const { record, describe, load, save, notice } = options;
  const { close } = useDialogs();
  const done = useDone();
  const seen = useRef(record);
  /** Resolves with nothing if there is nothing to change. */
  const send = async (api: AdminApi, terms: Terms): Promise<Edited | undefined> => {
    const edit: Partial<Terms> = {};
    const shown: Terms = record;
    for (const name in describe) if (terms[name] !== shown[name]) edit[name] = terms[name];
    if (Object.keys(edit).length === 0) return undefined;
    const current = await load(api);
    const [before, now]: [Terms, Terms] = [seen.current, current];
    const fields: Record<string, string[]> = {};
    for (const name in describe) {
      if (!(name in edit) || now[name] === before[name]) continue;
      fields[name] = [`Somebody has changed this to ${describe[name](now)}. Save again to replace it.`];
    }
    seen.current = current;
    if (Object.keys(fields).length > 0) throw new ApiFailure({ status: 409, fields });
    return save(api, edit);
  };
  return { send, onDone: (edited: Edited | undefined) => (edited ? done(notice(edited)) : close()) };
};
