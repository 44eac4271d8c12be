import { Autosuggest, type AutosuggestProps, FormField } from "@cloudscape-design/components";
import type { ReactNode } from "react";

interface SuggestFieldProps {
  label: string;
  placeholder: string;
  constraintText?: ReactNode;
  text: string;
  error: string;
  options: AutosuggestProps.Options;
  /** Describes the first suggestion, which is the text as typed. */
  enteredText: (text: string) => string;
  onType: (text: string) => void;
  /** Called with the value of the chosen suggestion. */
  onChoose: (value: string) => void;
  /** Called with the text if no suggestion was chosen. */
  onEnter: (text: string) => void;
}

/** A text field with suggestions during typing. */
export const SuggestField = (props: SuggestFieldProps) => {
  const { label, constraintText, text, error, enteredText, onType, onChoose, onEnter, ...others } = props;
  return (
    <FormField label={label} constraintText={constraintText} errorText={error} stretch>
      <Autosuggest
        {...others}
        value={text}
        enteredTextLabel={enteredText}
        empty="No suggestions"
        virtualScroll
        expandToViewport
        disableBrowserAutocorrect
        onChange={({ detail }) => onType(detail.value)}
        onSelect={({ detail: { value, selectedOption } }) => (selectedOption ? onChoose(value) : onEnter(value))}
      />
    </FormField>
  );
};
