import type { Endpoint } from "../declaration/endpoint.ts";
import { ApiError, ValidationError } from "../errors/api-error.ts";
import { type Result, validate } from "../validation/validate.ts";
import type { Middleware } from "./request.ts";

type ValidateInputOptions = Pick<Endpoint, "parameters" | "absent" | "query" | "form">;

/** Holds the path, the query string and the form to their schemas; every invalid field is told of at once. */
export const validateInput = ({
  parameters: parametersSchema,
  absent = "endpoint_not_found",
  query: querySchema,
  form: formSchema,
}: ValidateInputOptions): Middleware => ({
  before: ({ event }) => {
    const parameters = validateIfDeclared(parametersSchema, event.pathParameters);
    if (!parameters.valid) throw new ApiError(absent);

    const query = validateIfDeclared(querySchema, event.queryStringParameters);
    const form = validateIfDeclared(formSchema, event.body);
    if (!query.valid || !form.valid) throw new ValidationError({ ...messagesOf(query), ...messagesOf(form) });

    event.input = { parameters: parameters.value, query: query.value, form: form.value };
  },
});

const validateIfDeclared = (schema: Endpoint["form"], fields: unknown = {}): Result<unknown> =>
  schema ? validate(schema, fields) : { valid: true, value: undefined };

const messagesOf = (result: Result<unknown>) => (result.valid ? {} : result.fields);
