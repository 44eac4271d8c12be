import * as z from "zod/mini";
import { sampleOf } from "../shared/validation/sample-value.ts";
import type { Endpoint, ObjectSchema } from "./endpoint.ts";

/** The example request of an endpoint, with every part that it declares. */
export interface RequestExample {
  parameters: Record<string, string>;
  query: Record<string, string>;
  form?: Record<string, string>;
  json?: object;
}

/**
 * Returns an example request to an endpoint. The parts that the endpoint's own example leaves out are derived from the examples in
 * its schemas. Optional query parameters are left out, because they select something that a sample cannot know.
 */
export const requestExampleOf = ({ parameters, query, form, json, example = {} }: Endpoint): RequestExample => ({
  parameters: { ...(example.parameters ?? textsOf(parameters)) },
  query: { ...(example.query ?? textsOf(query, { requiredOnly: true })) },
  ...(form && { form: { ...(example.form ?? textsOf(form)) } }),
  ...(json && { json: Object(example.json ?? sampleOf(json, { io: "input" })) }),
});

/** Returns samples of the fields of a form, a query string or a path, in which every value is text. */
const textsOf = (schema: ObjectSchema | undefined, { requiredOnly = false } = {}): Record<string, string> => {
  if (!schema) return {};
  const { required = [] } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.fromEntries(
    Object.entries(Object(sampleOf(schema, { io: "input" })))
      .filter(([name]) => !requiredOnly || required.includes(name))
      .map(([name, value]) => [name, String(value)]),
  );
};
