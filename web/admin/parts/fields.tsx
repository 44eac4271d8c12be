import {
  FormField,
  type FormFieldProps,
  Input,
  type InputProps,
  Select,
  type SelectProps,
} from "@cloudscape-design/components";
import type { ReactNode } from "react";
import type { Field } from "./form.ts";

type PassedOn = Pick<FormFieldProps, "description" | "constraintText" | "warningText"> &
  Pick<InputProps, "placeholder" | "inputMode" | "spellcheck">;

interface TextFieldProps extends PassedOn, Field {
  label: string;
  isOptional?: boolean;
  /** Shown next to the field. */
  children?: ReactNode;
}

/** A labelled field for one line of text, with its error. */
export const TextField = (props: TextFieldProps) => {
  const { label, isOptional = false, value, error, onChange, children, ...others } = props;
  const { placeholder = "", inputMode = "text", spellcheck = false, ...about } = others;
  return (
    <FormField {...about} label={[label, isOptional && <i key="optional"> – optional</i>]} errorText={error} stretch>
      <div className="field-row stacks-on-phone">
        <Input
          value={value}
          onChange={({ detail }) => onChange(detail.value)}
          placeholder={placeholder}
          inputMode={inputMode}
          spellcheck={spellcheck}
          autoComplete={false}
        />
        {children}
      </div>
    </FormField>
  );
};

interface SelectFieldProps extends Field, Pick<FormFieldProps, "description" | "constraintText"> {
  label: string;
  options: readonly SelectProps.Option[];
}

/** A labelled field with a list of choices. */
export const SelectField = ({ label, options, value, error, onChange, ...about }: SelectFieldProps) => (
  <FormField {...about} label={label} errorText={error} stretch>
    <Select
      ariaLabel={label}
      options={options}
      selectedOption={options.find((option) => option.value === value) ?? null}
      onChange={({ detail }) => onChange(detail.selectedOption.value ?? value)}
    />
  </FormField>
);
