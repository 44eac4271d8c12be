import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";
import { useState } from "react";
import { toApiFailure } from "../../api/api-failure.ts";
import type { IssuedToken } from "../../api/token.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/use-submit.ts";
import { useApp } from "../../shell/app-context.ts";
import { AddressField } from "./address-field.tsx";
import { expiresAt, usualExpiry } from "./expiry.ts";
import { ExpiryField } from "./expiry-field.tsx";
import { rateLimitOf } from "./rate-limit.ts";
import { RateLimitField } from "./rate-limit-field.tsx";

interface IssueFormProps {
  onCancel: () => void;
  onIssued: (issued: IssuedToken) => void;
  onDoubt: () => void;
}

/** The terms of a new token. */
export const IssueForm = ({ onCancel, onIssued, onDoubt }: IssueFormProps) => {
  const { api } = useApp();
  const [ip, setIp] = useState("");
  const [comment, setComment] = useState("");
  const [expiry, setExpiry] = useState(usualExpiry);
  const [limit, setLimit] = useState("");
  const [isIncomplete, setIncomplete] = useState(false);
  const { isBusy, failure, submit, problemOf } = useSubmit();

  const issue = () => {
    const end = expiresAt(expiry, Date.now());
    setIncomplete(true);
    if (ip === "" || end === undefined) return;
    submit(async () => {
      try {
        onIssued(await api.issueToken({ ip, comment, expires_at: end, rate_limit: rateLimitOf(limit) }));
      } catch (error) {
        if (toApiFailure(error).isOutcomeUnknown) onDoubt();
        throw error;
      }
    });
  };
  const missing = (isMissing: boolean, text: string) => (isIncomplete && isMissing ? text : "");

  return (
    <FormDialog
      title="Issue a token"
      submitText="Issue token"
      failureTitle="No token was issued"
      doubt="It is not known whether a token was issued. If one was, nobody has its text: look for it in the table and revoke it before you try again."
      {...{ isBusy, failure, onCancel }}
      onSubmit={issue}
    >
      <AddressField
        value={ip}
        problem={problemOf("ip") || missing(ip === "", "Give the address of the client.")}
        onChange={setIp}
      />
      <FormField
        label={
          <>
            Comment <i>– optional</i>
          </>
        }
        description="Says later what the token is for: the system, its owner."
        errorText={problemOf("comment")}
        stretch
      >
        <Input value={comment} onChange={({ detail }) => setComment(detail.value)} placeholder="billing sync" />
      </FormField>
      <ExpiryField
        value={expiry}
        problem={
          problemOf("expires_at") ||
          missing(expiresAt(expiry, Date.now()) === undefined, "Choose a day that is to come.")
        }
        onChange={setExpiry}
      />
      <RateLimitField value={limit} problem={problemOf("rate_limit")} onChange={setLimit} />
    </FormDialog>
  );
};
