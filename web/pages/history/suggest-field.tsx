import { Autosuggest, type AutosuggestProps, FormField } from "@cloudscape-design/components";
import type { ReactNode } from "react";

interface SuggestFieldProps {
  label: string;
  placeholder: string;
  constraintText?: ReactNode;
  text: string;
  error: string;
  options: AutosuggestProps.Options;
  /** What the first suggestion says about the text as it was typed. */
  enteredText: (text: string) => string;
  onType: (text: string) => void;
  /** Called with the value of the suggestion that was chosen. */
  onChoose: (value: string) => void;
  /** Called with the text if no suggestion was chosen. */
  onEnter: (text: string) => void;
}

/** A field for a text, with suggestions while it is typed. */
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
