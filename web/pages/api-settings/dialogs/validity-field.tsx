import FormField from "@cloudscape-design/components/form-field";
import Select from "@cloudscape-design/components/select";
import { defaultInvitationSeconds, invitationSeconds } from "../../../../lambdas/resources/tokens/token-limits.ts";
import { localTime } from "../../../parts/time.ts";

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
