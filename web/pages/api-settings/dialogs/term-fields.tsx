import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";
import Select from "@cloudscape-design/components/select";
import {
  commentLength,
  defaultInvitationSeconds,
  invitationSeconds,
  limitRange,
} from "../../../../lambdas/resources/tokens/token-limits.ts";
import { codePoints } from "../../../../lambdas/validation/characters.ts";
import { localTime, today } from "../../../parts/time.ts";
import { type Expiry, expiresAt, expiryPresets, parseRateLimit, unchangedExpiry } from "../../../tokens/terms.ts";

interface CommentFieldProps {
  value: string;
  error: string;
  onChange: (comment: string) => void;
}

/** What a token is for. */
export const CommentField = ({ value, error, onChange }: CommentFieldProps) => (
  <FormField
    label={
      <>
        Comment <i>– optional</i>
      </>
    }
    description="What the token is for: the system and its owner."
    errorText={error}
    stretch
  >
    <Input value={value} onChange={({ detail }) => onChange(detail.value)} placeholder="billing sync" />
  </FormField>
);

/** What is wrong with a comment that is too long; empty if nothing is. */
export const commentError = (value: string): string => {
  const count = codePoints(value);
  const { max } = commentLength;
  return count > max ? `The comment must be at most ${max} characters; it has ${count}.` : "";
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

interface RateLimitFieldProps {
  value: string;
  error: string;
  onChange: (limit: string) => void;
}

/** How many requests a token may send per minute; empty for no limit. */
export const RateLimitField = ({ value, error, onChange }: RateLimitFieldProps) => (
  <FormField
    label={
      <>
        Requests per minute <i>– optional</i>
      </>
    }
    description="The client can send at most this many. Further requests are refused until the minute is over."
    errorText={error}
    constraintText={`${limitRange.min} to ${limitRange.max.toLocaleString("en")}. Leave empty for no limit.`}
    stretch
  >
    <Input
      value={value}
      onChange={({ detail }) => onChange(detail.value.trim())}
      placeholder="no limit"
      autoComplete={false}
      inputMode="numeric"
    />
  </FormField>
);

/** What is wrong with a limit that cannot be sent; empty if nothing is. The service checks the range. */
export const rateLimitError = (value: string): string =>
  parseRateLimit(value) === undefined ? "Enter a whole number, or leave the field empty." : "";

interface ValidityFieldProps {
  /** In seconds. */
  value: string;
  error: string;
  onChange: (seconds: string) => void;
}

/** How long an invitation works. */
export const ValidityField = ({ value, error, onChange }: ValidityFieldProps) => (
  <FormField
    label="The invitation works for"
    description="The client's operator has to use it within this time."
    constraintText={`Until ${localTime(new Date(Date.now() + Number(value) * 1000).toISOString())}, or until it is used.`}
    errorText={error}
    stretch
  >
    <Select
      ariaLabel="The invitation works for"
      options={validityPresets}
      selectedOption={validityPresets.find((option) => option.value === value) ?? null}
      onChange={({ detail }) => onChange(detail.selectedOption.value ?? value)}
    />
  </FormField>
);

const validityPresets = [
  { seconds: invitationSeconds.min, label: "5 minutes" },
  { seconds: 3_600, label: "1 hour" },
  { seconds: defaultInvitationSeconds, label: "24 hours" },
  { seconds: 259_200, label: "3 days" },
  { seconds: invitationSeconds.max, label: "7 days" },
].map(({ seconds, label }) => ({ value: String(seconds), label }));

export const defaultValidity = String(defaultInvitationSeconds);
