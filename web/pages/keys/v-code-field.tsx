import Button from "@cloudscape-design/components/button";
import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";
import { vCodeLength } from "../../../lambdas/resources/keys/fields.ts";
import { codePoints } from "../../../lambdas/validation/characters.ts";
import { generateVCode } from "./v-code.ts";

interface VCodeFieldProps {
  value: string;
  error: string;
  onChange: (vCode: string) => void;
}

/** A v_code, with a count of its characters while it is typed. */
export const VCodeField = ({ value, error, onChange }: VCodeFieldProps) => (
  <FormField
    label="v_code"
    description={`The verification code: exactly ${vCodeLength} characters of any kind.`}
    errorText={error}
    constraintText={`${codePoints(value)} of ${vCodeLength} characters`}
    stretch
  >
    <div className="field-row stacks-on-phone">
      <Input value={value} onChange={({ detail }) => onChange(detail.value)} autoComplete={false} spellcheck={false} />
      <Button formAction="none" onClick={() => onChange(generateVCode())}>
        Generate
      </Button>
    </div>
  </FormField>
);

/** What is wrong with a v_code that cannot be sent; empty if nothing is. */
export const vCodeError = (value: string): string =>
  codePoints(value) === vCodeLength ? "" : `The v_code must be ${vCodeLength} characters.`;
