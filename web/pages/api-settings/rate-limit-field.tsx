import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";

interface RateLimitFieldProps {
  value: string;
  problem: string;
  onChange: (limit: string) => void;
}

/** How many requests a token may send in a minute; empty if that is not to be limited. */
export const RateLimitField = ({ value, problem, onChange }: RateLimitFieldProps) => (
  <FormField
    label={
      <>
        Requests per minute <i>– optional</i>
      </>
    }
    description="The most that the client may send. What is beyond is refused until the minute is over."
    errorText={problem}
    constraintText="1 to 100,000. Empty: no limit."
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
