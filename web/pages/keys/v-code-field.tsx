import Button from "@cloudscape-design/components/button";
import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";
import { countCharacters, generateVCode, vCodeLength } from "./v-code.ts";

interface VCodeFieldProps {
  value: string;
  problem: string;
  onChange: (vCode: string) => void;
}

/** A v_code, counted while it is typed. */
export const VCodeField = ({ value, problem, onChange }: VCodeFieldProps) => (
  <FormField
    label="v_code"
    description="The verification code: exactly 64 characters, of any kind."
    errorText={problem}
    constraintText={`${countCharacters(value)} of ${vCodeLength} characters`}
    stretch
  >
    <div className="side-by-side">
      <Input
        value={value}
        onChange={({ detail }) => onChange(detail.value)}
        autoComplete={false}
        spellcheck={false}
        className="secret-input"
      />
      <Button formAction="none" onClick={() => onChange(generateVCode())}>
        Generate
      </Button>
    </div>
  </FormField>
);

/** What is wrong with a v_code before it is sent, in the service's words; empty if nothing is. */
export const vCodeProblem = (value: string): string =>
  countCharacters(value) === vCodeLength ? "" : `The v_code must be ${vCodeLength} characters.`;
