import { Autosuggest, type AutosuggestProps, FormField } from "@cloudscape-design/components";
import { type ReactNode, useId } from "react";
import { SelectField } from "../../parts/fields.tsx";
import { recentRanges, type ShownFilters, type TimeChoice } from "./history-filters.ts";

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

const choices = [
  { value: "any", label: "Any time" },
  { value: "day", label: recentRanges.day.text },
  { value: "week", label: recentRanges.week.text },
  { value: "between", label: "Between" },
] as const;

interface TimeFilterProps {
  shown: ShownFilters;
  sinceError: string;
  untilError: string;
  onChoose: (choice: TimeChoice) => void;
  onType: (typed: { since: string } | { until: string }) => void;
}

/** Filters changes by time: a range that ends now, or any two times. */
export const TimeFilter = ({ shown, sinceError, untilError, onChoose, onType }: TimeFilterProps) => {
  const { time, since, until } = shown;
  return (
    <>
      <SelectField
        label="Time"
        options={choices}
        value={time}
        error=""
        onChange={(chosen) => onChoose(choices.find(({ value }) => value === chosen)?.value ?? "any")}
      />
      {time === "between" && (
        <>
          <DateField label="Since" value={since} error={sinceError} onType={(text) => onType({ since: text })} />
          <DateField label="Until" value={until} error={untilError} onType={(text) => onType({ until: text })} />
        </>
      )}
    </>
  );
};

interface DateFieldProps {
  label: string;
  value: string;
  error: string;
  onType: (text: string) => void;
}

/** Uses the browser's own date field, because phones have a good one. */
const DateField = ({ label, value, error, onType }: DateFieldProps) => {
  const id = useId();
  return (
    <FormField label={label} controlId={id} errorText={error}>
      <input
        id={id}
        type="datetime-local"
        className="date-input"
        aria-invalid={error !== ""}
        value={value}
        onChange={({ target }) => onType(target.value)}
      />
    </FormField>
  );
};
