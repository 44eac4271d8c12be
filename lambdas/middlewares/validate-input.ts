import type { Endpoint } from "../declaration/endpoint.ts";
import { validate } from "../declaration/validate.ts";
import { ApiError, type FieldMessages, ValidationError } from "../errors/api-error.ts";
import type { Middleware } from "./request.ts";

type ValidateInputOptions = Pick<Endpoint, "parameters" | "absent" | "query" | "form">;

/** Holds the path, the query string and the form to their schemas; every invalid field is told of at once. */
export const validateInput = ({
  parameters,
  absent = "endpoint_not_found",
  query,
  form,
}: ValidateInputOptions): Middleware => ({
  before: ({ event }) => {
    const invalid: FieldMessages = {};
    const read = (schema: Endpoint["form"], fields: unknown, onInvalid: (fields: FieldMessages) => void): unknown => {
      if (!schema) return undefined;
      const result = validate(schema, fields);
      if (result.valid) return result.value;
      onInvalid(result.fields);
      return undefined;
    };
    const refuse = (fields: FieldMessages) => Object.assign(invalid, fields);

    event.input = {
      parameters: read(parameters, event.pathParameters ?? {}, () => {
        throw new ApiError(absent);
      }),
      query: read(query, event.queryStringParameters ?? {}, refuse),
      form: read(form, event.body ?? {}, refuse),
    };
    if (Object.keys(invalid).length > 0) throw new ValidationError(invalid);
  },
});
