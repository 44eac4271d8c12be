import { Autosuggest, type AutosuggestProps, FormField, SegmentedControl } from "@cloudscape-design/components";
import { type ReactNode, useId } from "react";
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
  { id: "any", text: "Any time" },
  { id: "day", text: recentRanges.day.text },
  { id: "week", text: recentRanges.week.text },
  { id: "between", text: "Between" },
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
  const labelId = useId();
  return (
    <>
      <FormField label={<span id={labelId}>Time</span>}>
        <SegmentedControl
          ariaLabelledby={labelId}
          options={choices}
          selectedId={time}
          onChange={({ detail }) => onChoose(choices.find(({ id }) => id === detail.selectedId)?.id ?? "any")}
        />
      </FormField>
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
