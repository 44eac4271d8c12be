import { useState } from "react";
import { type ApiFailure, fieldError } from "../api/api-failure.ts";

/** The value of a form field and its error. */
export interface Field<Value = string> {
  value: Value;
  error: string;
  onChange: (value: Value) => void;
}

export type Fields<Values> = { [Name in keyof Values]: Field<Values[Name]> };

interface FormOptions<Values> {
  /** The initial values, under the service's names. */
  initial: Values | (() => Values);
  /** Validates the values. The form shows the errors once the user has tried to send it. */
  check?: (values: Values) => Partial<Record<keyof Values, string>>;
  /** Called with values that passed `check`. */
  onSubmit: (values: Values) => void;
  failure: ApiFailure | null;
}

/**
 * Manages a form's values and fields.
 *
 * @example
 * const form = useForm({ initial: { comment: "" }, onSubmit: save.run, failure: save.failure });
 * <TextField label="Comment" {...form.fields.comment} />
 */
export const useForm = <Values extends object>({ initial, check, onSubmit, failure }: FormOptions<Values>) => {
  const [values, setValues] = useState(initial);
  const [isSubmitted, setSubmitted] = useState(false);
  const problems: Partial<Record<keyof Values, string>> = check?.(values) ?? {};
  const fields = {} as Fields<Values>;
  for (const name in values) {
    fields[name] = {
      value: values[name],
      error: (isSubmitted && problems[name]) || fieldError(failure, name),
      onChange: (value) => setValues((latest) => ({ ...latest, [name]: value })),
    };
  }
  return {
    values,
    fields,
    submit: () => {
      setSubmitted(true);
      if (Object.values(problems).every((problem) => problem === "")) onSubmit(values);
    },
    /** Replaces values and hides errors until the user tries to send them. */
    restart: (changed: Partial<Values>) => {
      setValues({ ...values, ...changed });
      setSubmitted(false);
    },
  };
};
