import { FormField, Select, SpaceBetween } from "@cloudscape-design/components";
import type { ReactNode } from "react";
import { limitRange } from "../../../../lambdas/resources/tokens/token-limits.ts";
import { type ApiFailure, fieldError } from "../../../api/api-failure.ts";
import { TextField } from "../../../parts/text-field.tsx";
import { localTime, today } from "../../../parts/time.ts";
import { ExactMoment } from "../../../parts/values.tsx";
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

interface TermFieldsProps {
  typed: TypedTerms;
  onChange: (typed: TypedTerms) => void;
  /** Whether the admin has tried to send the form: before that, it has no objections of its own. */
  isSubmitted: boolean;
  failure: ApiFailure | null;
  /** When the token ends as it is, which can then be kept; null if never. */
  current?: string | null;
  /** Why the end cannot be changed. */
  fixedExpiry?: string | undefined;
  /** Fields below the comment. */
  children?: ReactNode;
}

/** The terms of a token: what it is for, when it ends, and how often it can be used. */
export const TermFields = (props: TermFieldsProps) => {
  const { typed, onChange, isSubmitted, failure, current, fixedExpiry, children } = props;
  const errorAt = (field: string, ownError: string) => (isSubmitted ? ownError : "") || fieldError(failure, field);
  return (
    <SpaceBetween size="l">
      <TextField
        label="Comment"
        isOptional
        description="What the token is for: the system and its owner."
        placeholder="billing sync"
        spellcheck
        value={typed.comment}
        error={errorAt("comment", commentError(typed.comment))}
        onChange={(comment) => onChange({ ...typed, comment })}
      />
      {children}
      {fixedExpiry === undefined ? (
        <ExpiryField
          value={typed.expiry}
          {...(current !== undefined && { current })}
          error={errorAt("expires_at", expiryError(expiresAt(typed.expiry, Date.now(), current)))}
          onChange={(expiry) => onChange({ ...typed, expiry })}
        />
      ) : (
        <FormField label="Expires" description={fixedExpiry}>
          <ExactMoment time={current ?? null} otherwise="Never" />
        </FormField>
      )}
      <TextField
        label="Requests per minute"
        isOptional
        description="The client can send at most this many. Further requests are refused until the minute is over."
        constraintText={`${limitRange.min} to ${limitRange.max.toLocaleString("en")}. Leave empty for no limit.`}
        placeholder="no limit"
        inputMode="numeric"
        value={typed.limit}
        error={errorAt("rate_limit", rateLimitError(typed.limit))}
        onChange={(limit) => onChange({ ...typed, limit: limit.trim() })}
      />
    </SpaceBetween>
  );
};

interface ExpiryFieldProps {
  value: Expiry;
  /** When the token ends as it is, which is then offered, too; null if never. */
  current?: string | null;
  error: string;
  onChange: (expiry: Expiry) => void;
}

/** When a token is to end: after one of the usual lifetimes, on a date, or never. */
export const ExpiryField = ({ value, current, error, onChange }: ExpiryFieldProps) => {
  const options = [...(current === undefined ? [] : [unchanged]), ...expiryPresets];
  return (
    <FormField
      label="Expires"
      errorText={error}
      constraintText={explain(expiresAt(value, Date.now(), current))}
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

const explain = (end: string | null | undefined): string => {
  if (end === undefined) return "The token ends at the end of that day, in your time zone.";
  if (end === null) return "The token is valid until it is rotated or revoked.";
  return `Ends ${localTime(end)}.`;
};
