import { useState } from "react";
import type { AdminApi } from "../api/admin-api.ts";
import { fieldError } from "../api/api-failure.ts";
import type { Changed } from "../records/caches.ts";
import { type Sending, type SendingOptions, useSending } from "./sending.tsx";

/** The value of a form field and its error. */
export interface Field<Value = string> {
  value: Value;
  error: string;
  onChange: (value: Value) => void;
}

export type Fields<Values> = { [Name in keyof Values]: Field<Values[Name]> };

interface FormOptions<Values, Result> extends SendingOptions<Result> {
  /** The initial values, under the service's names. Empty if there is only something to confirm. */
  initial: Values | (() => Values);
  /** Validates the values. The form shows the errors once the user has tried to send it. */
  check?: (values: Values) => Partial<Record<keyof Values, string>>;
  /** Sends values that passed `check`. */
  send: (api: AdminApi, values: Values) => Promise<Result>;
}

/** The part of a form that a dialog shows. */
export interface Form extends Omit<Sending<never>, "run"> {
  values: object;
  submit: () => void;
}

/**
 * Manages a form's values and fields, and sends them once.
 *
 * @example
 * const form = useForm({ initial: { comment: "" }, send: (api, edit) => api("update", { token_id, ...edit }), onDone: close });
 * <TextField label="Comment" {...form.fields.comment} />
 */
export const useForm = <Values extends object, Result extends Changed>(options: FormOptions<Values, Result>) => {
  const { initial, check, send, ...afterwards } = options;
  const [values, setValues] = useState(initial);
  const [isSubmitted, setSubmitted] = useState(false);
  const { run, ...sending } = useSending(send, afterwards);
  const problems: Partial<Record<keyof Values, string>> = check?.(values) ?? {};
  const fields = {} as Fields<Values>;
  for (const name in values) {
    fields[name] = {
      value: values[name],
      error: (isSubmitted && problems[name]) || fieldError(sending.failure, name),
      onChange: (value) => setValues((latest) => ({ ...latest, [name]: value })),
    };
  }
  return {
    ...sending,
    values,
    fields,
    submit: () => {
      setSubmitted(true);
      if (Object.values(problems).every((problem) => problem === "")) run(values);
    },
    /** Replaces values and hides errors until the user tries to send them. */
    restart: (changed: Partial<Values>) => {
      setValues({ ...values, ...changed });
      setSubmitted(false);
    },
  };
};
