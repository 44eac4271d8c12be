import FormField from "@cloudscape-design/components/form-field";
import Select from "@cloudscape-design/components/select";
import { localTime, utcTime } from "../../../parts/time.ts";
import { type Expiry, expiresAt, expiryPresets } from "./expiry.ts";
import "./expiry-field.css";

interface ExpiryFieldProps {
  value: Expiry;
  error: string;
  onChange: (expiry: Expiry) => void;
}

/** When a token is to end: after one of the usual lifetimes, on a date, or never. */
export const ExpiryField = ({ value, error, onChange }: ExpiryFieldProps) => (
  <FormField label="Expires" errorText={error} constraintText={explain(expiresAt(value, Date.now()))} stretch>
    <div className="field-row stacks-on-phone">
      <Select
        ariaLabel="Expires"
        options={expiryPresets}
        selectedOption={expiryPresets.find((preset) => preset.value === value.preset) ?? null}
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

/** YYYY-MM-DD in the time zone of the browser, which is how Swedish writes dates. */
const today = (): string => new Date().toLocaleDateString("sv");

const explain = (end: string | null | undefined): string => {
  if (end === undefined) return "The token ends at the end of that day.";
  if (end === null) return "The token is valid until it is rotated or revoked.";
  return `Ends ${localTime(end)} (${utcTime(end)}).`;
};
