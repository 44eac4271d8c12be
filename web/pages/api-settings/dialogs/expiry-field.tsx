import FormField from "@cloudscape-design/components/form-field";
import Select from "@cloudscape-design/components/select";
import { localTime, today } from "../../../parts/time.ts";
import { type Expiry, expiresAt, expiryPresets, unchangedExpiry } from "./expiry.ts";
import "../../../parts/date-input.css";

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
