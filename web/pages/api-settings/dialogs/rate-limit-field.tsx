import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";
import { limitRange } from "../../../../lambdas/resources/tokens/token-limits.ts";
import { parseRateLimit } from "../../../tokens/rate-limit.ts";

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
