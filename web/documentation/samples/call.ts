import type { Credential, Operation, RequestField } from "../description/description.ts";

/** A call of the API, ready to be sent or to be shown as code. */
export interface Call {
  method: string;
  /** Percent-encoded, with the query. */
  path: string;
  credential: Credential;
  headers: readonly (readonly [name: string, value: string])[];
  form: readonly (readonly [name: string, value: string])[];
  /** Whether a response to a successful call has a body. */
  hasResponseBody: boolean;
}

/** What a reader has entered, by field. */
export type Values = Readonly<Record<string, string>>;

/** A key for a field: a path and a form may have fields of the same name. */
export const fieldKey = (field: RequestField): string => `${field.in}.${field.name}`;

/** The values of an example call. Optional fields are left out. */
export const exampleValues = (operation: Operation): Values =>
  Object.fromEntries(operation.fields.map((field) => [fieldKey(field), field.required ? field.example : ""]));

/** The call of an operation with these values. Optional fields without a value are not sent. */
export const callOf = ({ method, path, credential, fields, responses }: Operation, values: Values): Call => {
  const sent = (place: RequestField["in"]): [name: string, value: string][] =>
    fields
      .filter((field) => field.in === place)
      .map((field): [RequestField, string] => [field, values[fieldKey(field)] ?? ""])
      .filter(([field, value]) => field.required || value !== "")
      .map(([field, value]) => [field.name, value]);

  const parameters = new Map(sent("path"));
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(parameters.get(name) ?? ""));
  const query = new URLSearchParams(sent("query")).toString();
  return {
    method,
    path: query ? `${filled}?${query}` : filled,
    credential,
    headers: sent("header"),
    form: sent("form"),
    hasResponseBody: responses.some(({ status, examples }) => status < 300 && examples.length > 0),
  };
};
