import { FormField, Select } from "@cloudscape-design/components";
import { limitRange } from "../../../../lambdas/resources/tokens/token-limits.ts";
import type { Field } from "../../../parts/form.ts";
import { TextField } from "../../../parts/text-field.tsx";
import { localTime, today } from "../../../parts/time.ts";
import { type Expiry, expiresAt, expiryPresets, unchangedExpiry } from "../../../tokens/terms.ts";

interface Subject {
  /** What has these terms. */
  subject?: "token" | "workload";
}

export const CommentField = ({ subject = "token", ...field }: Field & Subject) => (
  <TextField
    {...field}
    label="Comment"
    isOptional
    description={`What the ${subject} is for: the system and its owner. It is the name of the ${subject} in every list.`}
    placeholder="billing sync, team finance"
    spellcheck
  />
);

export const LimitField = ({ subject, onChange, ...field }: Field & Subject) => (
  <TextField
    {...field}
    label="Requests per minute"
    isOptional
    description={`${subject === "workload" ? "All its tokens together" : "The client"} can send at most this many. Further requests are refused until the minute is over.`}
    constraintText={`${limitRange.min} to ${limitRange.max.toLocaleString("en")}. Leave empty for no limit.`}
    placeholder="no limit"
    inputMode="numeric"
    onChange={(limit) => onChange(limit.trim())}
  />
);

interface ExpiryFieldProps extends Field<Expiry>, Subject {
  /** When the token ends as it is, which is then offered, too; null if never. */
  current?: string | null | undefined;
}

/** When a token is to end: after one of the usual lifetimes, on a date, or never. */
export const ExpiryField = ({ subject = "token", value, current, error, onChange }: ExpiryFieldProps) => {
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
