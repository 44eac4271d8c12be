import { FormField, type FormFieldProps, Select, type SelectProps } from "@cloudscape-design/components";
import type { Field } from "./form.ts";

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
