import { useState } from "react";
import { toApiFailure } from "../../api/api-failure.ts";
import type { Token } from "../../api/token.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/use-submit.ts";
import { useApp } from "../../shell/app-context.ts";
import { rateLimitOf } from "./rate-limit.ts";
import { RateLimitField } from "./rate-limit-field.tsx";
import type { TokenDialogProps } from "./token-dialog.tsx";
import { TokenMention, tokenName } from "./token-name.tsx";

/** Limits how many requests a token may send, or lets it send as many as it will. */
export const LimitDialog = ({ token, onClose, onChange, onDoubt }: TokenDialogProps & { token: Token }) => {
  const { api, notify } = useApp();
  const [limit, setLimit] = useState(String(token.rate_limit ?? ""));
  const { isBusy, failure, submit, problemOf } = useSubmit();

  const save = async () => {
    try {
      onChange(await api.limitToken(token.token_id, rateLimitOf(limit)));
    } catch (error) {
      const { isOutcomeUnknown, status } = toApiFailure(error);
      // A conflict tells that the token is no longer as it is shown.
      if (isOutcomeUnknown || status === 409) onDoubt();
      throw error;
    }
    notify(`The limit of ${tokenName(token)} was changed.`);
    onClose();
  };

  return (
    <FormDialog
      title="Edit the limit"
      submitText="Save limit"
      failureTitle="The limit was not changed"
      doubt="It is not known whether it was changed. Save it again: that does no harm."
      {...{ isBusy, failure }}
      onCancel={onClose}
      onSubmit={() => submit(save)}
    >
      <div>
        The limit of <TokenMention token={token} /> holds from its next request on.
      </div>
      <RateLimitField value={limit} problem={problemOf("rate_limit")} onChange={setLimit} />
    </FormDialog>
  );
};
