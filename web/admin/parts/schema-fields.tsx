import { Checkbox, FormField } from "@cloudscape-design/components";
import * as z from "zod/mini";
import { type FieldFacts, factsOf } from "../../../lambdas/shared/validation/field-facts.ts";
import { SelectField, TextField } from "./fields.tsx";
import type { Fields } from "./form.ts";

/** The fields of a form that follow from the schemas of a record, by name. */
export type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** What was entered, as text. A checkbox is `true` or empty. */
export type Entered = Record<string, string>;

/** Returns what a form shows at first: the fields of a record, or what a new record begins with. */
export const enteredFrom = (shape: Shape, record: Readonly<Record<string, unknown>> = {}): Entered =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const value = record[name] ?? factsOf(schema).initial ?? "";
      return [name, value === false ? "" : String(value)];
    }),
  );

/** Returns the values of a form as the service expects them. Optional fields that are empty are left out. */
export const valuesFrom = (shape: Shape, entered: Entered): Record<string, unknown> => {
  const values = Object.entries(shape).map(([name, schema]) => [name, valueFrom(factsOf(schema), entered[name] ?? "")]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
};

const valueFrom = ({ kind, options, isOptional, isNullable }: FieldFacts, entered: string): unknown => {
  if (kind === "boolean") return entered === "true";
  if (entered !== "") return kind === "number" ? Number(entered) : entered;
  if (isOptional) return undefined;
  if (isNullable) return null;
  return kind === "text" && !options ? "" : undefined;
};

/** Returns what is wrong with each field of a form, or an empty string. */
export const problemsOf = (shape: Shape, entered: Entered): Record<string, string> => {
  const values = valuesFrom(shape, entered);
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const issues = z.safeParse(schema, values[name]).error?.issues ?? [];
      const isMissing = issues.length > 0 && (entered[name] ?? "") === "";
      if (isMissing) return [name, `${factsOf(schema).options ? "Choose" : "Enter"} the ${name}.`];
      return [
        name,
        issues.map(({ code, message }) => `The ${name} ${code === "custom" ? message : "is not valid."}`).join(" "),
      ];
    }),
  );
};

interface SchemaFieldsProps {
  shape: Shape;
  fields: Fields<Entered>;
}

/** The fields of a form, as the schemas describe them. */
export const SchemaFields = ({ shape, fields }: SchemaFieldsProps) =>
  Object.entries(shape).map(([name, schema]) => {
    const { kind, options, isOptional, isNullable, description, length, example } = factsOf(schema);
    const field = fields[name];
    if (!field) return null;
    const about = { ...field, label: name, ...(description !== undefined && { description }) };
    const mayBeEmpty = isOptional || isNullable;
    if (options) {
      const none = mayBeEmpty ? [{ value: "", label: "–" }] : [];
      return <SelectField key={name} {...about} options={[...none, ...options.map((value) => ({ value }))]} />;
    }
    if (kind === "boolean") {
      return (
        <FormField key={name} errorText={field.error}>
          <Checkbox
            checked={field.value === "true"}
            description={description}
            onChange={({ detail }) => field.onChange(detail.checked ? "true" : "")}
          >
            {name}
          </Checkbox>
        </FormField>
      );
    }
    return (
      <TextField
        key={name}
        {...about}
        isOptional={mayBeEmpty}
        inputMode={kind === "number" ? "numeric" : "text"}
        {...(length !== undefined && { constraintText: length })}
        {...(example !== undefined && { placeholder: example })}
      />
    );
  });
