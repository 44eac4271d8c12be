import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldError } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { parseRateLimit } from "../token/rate-limit.ts";
import { TokenMention, tokenName } from "../token/token-name.tsx";
import { useTokenCache } from "../token/token-queries.ts";
import { RateLimitField, rateLimitError } from "./rate-limit-field.tsx";

/** Changes how many requests a token may send per minute. */
export const LimitDialog = ({ token, onClose }: { token: Token; onClose: () => void }) => {
  const { api, notify } = useApp();
  const { update, reload } = useTokenCache();
  const [limit, setLimit] = useState(String(token.rate_limit ?? ""));
  const [isSubmitted, setSubmitted] = useState(false);
  const save = useMutation({
    mutationFn: (rate_limit: number | null) => api("update", { token_id: token.token_id, rate_limit }),
    onSuccess: (changed) => {
      update(changed);
      notify(`The limit of ${tokenName(token)} was changed.`);
      onClose();
    },
    onError: ({ isOutcomeUnknown, status }) => {
      // A conflict means that the token is no longer as it is shown.
      if (isOutcomeUnknown || status === 409) reload();
    },
  });

  const submit = () => {
    const rateLimit = parseRateLimit(limit);
    setSubmitted(true);
    if (rateLimit !== undefined) save.mutate(rateLimit);
  };

  return (
    <FormDialog
      title="Edit the limit"
      submitText="Save limit"
      failureTitle="The limit was not changed"
      unknownOutcomeText="The limit may or may not have been changed. It is safe to save it again."
      isPending={save.isPending}
      failure={save.error}
      onCancel={onClose}
      onSubmit={submit}
    >
      <div>
        The new limit applies to <TokenMention token={token} /> from its next request on.
      </div>
      <RateLimitField
        value={limit}
        error={(isSubmitted ? rateLimitError(limit) : "") || fieldError(save.error, "rate_limit")}
        onChange={setLimit}
      />
    </FormDialog>
  );
};
