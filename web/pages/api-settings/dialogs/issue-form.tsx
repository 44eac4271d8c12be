import { useState } from "react";
import { type ApiFailure, fieldError } from "../../../api/api-failure.ts";
import type { TokenTerms } from "../../../api/types.ts";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { parseRateLimit } from "../token/rate-limit.ts";
import { AddressField } from "./address-field.tsx";
import { commentError } from "./comment-error.ts";
import { CommentField } from "./comment-field.tsx";
import { defaultExpiry, expiresAt, expiryError } from "./expiry.ts";
import { ExpiryField } from "./expiry-field.tsx";
import { RateLimitField, rateLimitError } from "./rate-limit-field.tsx";

interface IssueFormProps {
  isPending: boolean;
  failure: ApiFailure | null;
  onSubmit: (terms: TokenTerms) => void;
  onCancel: () => void;
}

/** The terms of a new token. */
export const IssueForm = ({ isPending, failure, onSubmit, onCancel }: IssueFormProps) => {
  const [ip, setIp] = useState("");
  const [comment, setComment] = useState("");
  const [expiry, setExpiry] = useState(defaultExpiry);
  const [limit, setLimit] = useState("");
  const [isSubmitted, setSubmitted] = useState(false);

  const end = expiresAt(expiry, Date.now());
  const submit = () => {
    setSubmitted(true);
    const rateLimit = parseRateLimit(limit);
    if (ip === "" || commentError(comment) !== "" || end === undefined || rateLimit === undefined) return;
    onSubmit({ ip, comment, expires_at: end, rate_limit: rateLimit });
  };
  const errorAt = (field: keyof TokenTerms, ownError: string) =>
    (isSubmitted ? ownError : "") || fieldError(failure, field);

  return (
    <FormDialog
      title="Issue a token"
      submitText="Issue token"
      failureTitle="No token was issued"
      unknownOutcomeText="A token may or may not have been issued. If it was, nobody has its text: look for it in the table and revoke it before you try again."
      {...{ isPending, failure, onCancel }}
      onSubmit={submit}
    >
      <AddressField
        value={ip}
        error={errorAt("ip", ip === "" ? "Enter the address of the client." : "")}
        onChange={setIp}
      />
      <CommentField value={comment} error={errorAt("comment", commentError(comment))} onChange={setComment} />
      <ExpiryField value={expiry} error={errorAt("expires_at", expiryError(end))} onChange={setExpiry} />
      <RateLimitField value={limit} error={errorAt("rate_limit", rateLimitError(limit))} onChange={setLimit} />
    </FormDialog>
  );
};
