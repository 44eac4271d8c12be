import { FormField, Select } from "@cloudscape-design/components";
import { limitRange } from "../../../../lambdas/resources/tokens/token-limits.ts";
import { type ApiFailure, fieldError } from "../../../api/api-failure.ts";
import { TextField } from "../../../parts/text-field.tsx";
import { localTime, today } from "../../../parts/time.ts";
import {
  commentError,
  type Expiry,
  expiresAt,
  expiryError,
  expiryPresets,
  rateLimitError,
  type TypedTerms,
  unchangedExpiry,
} from "../../../tokens/terms.ts";

export interface TermFieldProps {
  /** What has these terms. */
  subject?: "token" | "workload";
  typed: TypedTerms;
  onChange: (typed: TypedTerms) => void;
  /** Whether the admin has tried to send the form: before that, it has no objections of its own. */
  isSubmitted: boolean;
  failure: ApiFailure | null;
}

export const CommentField = ({ subject = "token", typed, onChange, isSubmitted, failure }: TermFieldProps) => (
  <TextField
    label="Comment"
    isOptional
    description={`What the ${subject} is for: the system and its owner. It is the name of the ${subject} in every list.`}
    placeholder="billing sync, team finance"
    spellcheck
    value={typed.comment}
    error={(isSubmitted ? commentError(typed.comment) : "") || fieldError(failure, "comment")}
    onChange={(comment) => onChange({ ...typed, comment })}
  />
);

export const LimitField = ({ subject, typed, onChange, isSubmitted, failure }: TermFieldProps) => (
  <TextField
    label="Requests per minute"
    isOptional
    description={`${subject === "workload" ? "All its tokens together" : "The client"} can send at most this many. Further requests are refused until the minute is over.`}
    constraintText={`${limitRange.min} to ${limitRange.max.toLocaleString("en")}. Leave empty for no limit.`}
    placeholder="no limit"
    inputMode="numeric"
    value={typed.limit}
    error={(isSubmitted ? rateLimitError(typed.limit) : "") || fieldError(failure, "rate_limit")}
    onChange={(limit) => onChange({ ...typed, limit: limit.trim() })}
  />
);

interface ExpiryFieldProps extends TermFieldProps {
  /** When the token ends as it is, which can then be kept; null if never. */
  current?: string | null;
}

export const ExpiryField = ({ subject, typed, onChange, isSubmitted, failure, current }: ExpiryFieldProps) => (
  <ExpiryChoice
    {...(subject && { subject })}
    value={typed.expiry}
    {...(current !== undefined && { current })}
    error={
      (isSubmitted ? expiryError(expiresAt(typed.expiry, Date.now(), current)) : "") ||
      fieldError(failure, "expires_at")
    }
    onChange={(expiry) => onChange({ ...typed, expiry })}
  />
);

interface ExpiryChoiceProps extends Pick<TermFieldProps, "subject"> {
  value: Expiry;
  /** When the token ends as it is, which is then offered, too; null if never. */
  current?: string | null;
  error: string;
  onChange: (expiry: Expiry) => void;
}

/** When a token is to end: after one of the usual lifetimes, on a date, or never. */
export const ExpiryChoice = ({ subject = "token", value, current, error, onChange }: ExpiryChoiceProps) => {
  const options = [...(current === undefined ? [] : [unchanged]), ...expiryPresets];
  return (
    <FormField
      label="Expires"
      errorText={error}
      constraintText={explain(subject, expiresAt(value, Date.now(), current))}
      stretch
    >
      <div className="field-row stacks-on-phone">
        <Select
          ariaLabel="Expires"
          options={options}
          selectedOption={options.find((option) => option.value === value.preset) ?? null}
          onChange={({ detail }) => onChange({ ...value, preset: detail.selectedOption.value ?? value.preset })}
        />
        {value.preset === "date" && (
          // The browser's own field: Cloudscape's calendar is a dialog without a name, and phones have a better one.
          <input
            type="date"
            className="date-input"
            aria-label="Date"
            aria-invalid={error !== ""}
            value={value.date}
            min={today()}
            onChange={({ target }) => onChange({ ...value, date: target.value })}
          />
        )}
      </div>
    </FormField>
  );
};

const unchanged = { value: unchangedExpiry.preset, label: "No change" };

const explain = (subject: string, end: string | null | undefined): string => {
  if (end === undefined) return "It ends at the end of that day, in your time zone.";
  if (end === null)
    return subject === "token"
      ? "The token is valid until it is rotated or revoked."
      : "The workload is trusted until somebody ends the trust.";
  return `Ends ${localTime(end)}.`;
};
