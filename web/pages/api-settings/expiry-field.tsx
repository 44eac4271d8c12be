import FormField from "@cloudscape-design/components/form-field";
import Select from "@cloudscape-design/components/select";
import { localTime, utcTime } from "../../parts/time.ts";
import { type Expiry, expiresAt, expiryPresets } from "./expiry.ts";

interface ExpiryFieldProps {
  value: Expiry;
  problem: string;
  onChange: (expiry: Expiry) => void;
}

/** When a token is to end: by a usual span, on a date, or never. */
export const ExpiryField = ({ value, problem, onChange }: ExpiryFieldProps) => {
  const end = expiresAt(value, Date.now());
  return (
    <FormField label="Expires" errorText={problem} constraintText={explain(end)} stretch>
      <div className="side-by-side">
        <Select
          ariaLabel="Expires"
          options={expiryPresets}
          selectedOption={expiryPresets.find((preset) => preset.value === value.preset) ?? null}
          onChange={({ detail }) => onChange({ ...value, preset: detail.selectedOption.value ?? value.preset })}
        />
        {value.preset === "date" && (
          // The browser's own: Cloudscape's calendar is a dialog without a name, and phones have a better one.
          <input
            type="date"
            className="date-input"
            aria-label="Date"
            aria-invalid={problem !== ""}
            value={value.date}
            min={today()}
            onChange={({ target }) => onChange({ ...value, date: target.value })}
          />
        )}
      </div>
    </FormField>
  );
};

/** YYYY-MM-DD in the zone of the browser; Sweden writes it so. */
const today = (): string => new Date().toLocaleDateString("sv");

const explain = (end: string | null | undefined): string => {
  if (end === undefined) return "The token ends with that day.";
  if (end === null) return "It holds until it is rotated or revoked.";
  return `Ends ${localTime(end)} (${utcTime(end)}).`;
};
