import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";

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
