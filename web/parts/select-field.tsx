import { FormField, type FormFieldProps, Select, type SelectProps } from "@cloudscape-design/components";

interface SelectFieldProps extends Pick<FormFieldProps, "description" | "constraintText" | "errorText"> {
  label: string;
  options: readonly SelectProps.Option[];
  value: string;
  onChange: (value: string) => void;
}

/** A field with a list to choose from, and its label. */
export const SelectField = ({ label, options, value, onChange, ...about }: SelectFieldProps) => (
  <FormField {...about} label={label} stretch>
    <Select
      ariaLabel={label}
      options={options}
      selectedOption={options.find((option) => option.value === value) ?? null}
      onChange={({ detail }) => onChange(detail.selectedOption.value ?? value)}
    />
  </FormField>
);
