import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";

import { commentLength } from "../../../../lambdas/resources/tokens/token-limits.ts";
import { codePoints } from "../../../../lambdas/validation/characters.ts";

interface CommentFieldProps {
  value: string;
  error: string;
  onChange: (comment: string) => void;
}

/** What a token is for. */
export const CommentField = ({ value, error, onChange }: CommentFieldProps) => (
  <FormField
    label={
      <>
        Comment <i>– optional</i>
      </>
    }
    description="What the token is for: the system and its owner."
    errorText={error}
    stretch
  >
    <Input value={value} onChange={({ detail }) => onChange(detail.value)} placeholder="billing sync" />
  </FormField>
);

/** What is wrong with a comment that is too long; empty if nothing is. */
export const commentError = (value: string): string => {
  const count = codePoints(value);
  const { max } = commentLength;
  return count > max ? `The comment must be at most ${max} characters; it has ${count}.` : "";
};
