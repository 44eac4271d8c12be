import FormField from "@cloudscape-design/components/form-field";
import Select from "@cloudscape-design/components/select";
import { localTime } from "../../../parts/time.ts";
import { validityPresets } from "./validity.ts";

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
