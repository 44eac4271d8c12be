import { endpointOf } from "../../openapi/clients/client-model.ts";
import { clientNamesOf } from "../../openapi/clients/client-names.ts";
import { methodNameOf } from "../../openapi/clients/python-operations.ts";

/** The parts of OpenAPI 3.1 that this project's descriptions use. */
export interface Description {
  info: { title: string; version: string; "x-client"?: string };
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: Record<string, Record<string, object>>;
  "x-errors": Record<string, ErrorExplanation>;
}

/** What the documentation says about an error. */
export interface ErrorExplanation {
  status: number;
  when: string;
  solve: string;
}

interface Reference {
  $ref: string;
}

interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  deprecated?: boolean;
  security?: Record<string, string[]>[];
  parameters?: (ParameterObject | Reference)[];
  requestBody?: { content: Record<string, { schema: SchemaObject | Reference; example?: Record<string, unknown> }> };
  responses: Record<string, ResponseObject | Reference>;
  /** The client that the example's token belongs to, if it is not the service's usual example client. */
  "x-example-client"?: string;
}

interface ParameterObject {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: SchemaObject | Reference;
}

export interface SchemaObject {
  type?: string | string[];
  description?: string;
  format?: string;
  contentMediaType?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: SchemaObject | Reference;
  properties?: Record<string, SchemaObject | Reference>;
  additionalProperties?: boolean | SchemaObject | Reference;
  required?: string[];
  anyOf?: (SchemaObject | Reference)[];
  oneOf?: (SchemaObject | Reference)[];
}

interface HeaderObject {
  description: string;
  example?: unknown;
}

interface ResponseObject {
  description: string;
  headers?: Record<string, HeaderObject | Reference>;
  content?: Record<string, ResponseBody>;
}

interface ResponseBody {
  schema?: SchemaObject | Reference;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** A field of a request or of a response. */
export interface Field {
  /** A nested field has the names of those around it: `lines[].quantity`. */
  name: string;
  required: boolean;
  description: string;
  schema: SchemaObject;
  /** Empty if the field has no example. */
  example: string;
}

export interface RequestField extends Field {
  in: "path" | "query" | "header" | "form" | "json";
}

export interface Operation {
  id: string;
  client: ClientOfService;
  tag: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  /** When the field's version ends, if the field is deprecated. */
  deprecation: string | undefined;
  credential: Credential;
  fields: RequestField[];
  /** The JSON body, if the operation takes one. */
  json: JsonBody | undefined;
  responses: Response[];
}

/** The names in the client of the service. */
interface ClientOfService {
  name: string;
  /** The module in Python. */
  module: string;
  /** The method in Python. */
  method: string;
}

interface JsonBody {
  mediaType: string;
  /** An example, as text. */
  example: string;
}

/** The secret in a call: a token or an invitation in `X-Token`, or the JWT of a workload in a field of the form. */
export type Credential = "token" | "invitation" | "jwt";

/** Whether a field takes the JWT of a workload. */
export const isJwt = ({ schema }: Field): boolean => schema.contentMediaType === "application/jwt";

/** Returns the credential that an operation needs. The default is a token; an operation without `X-Token` takes a JWT. */
const credentialOf = ({ security = [{ token: [] }] }: OperationObject): Credential =>
  (["token", "invitation"] as const).find((name) => security.some((scheme) => name in scheme)) ?? "jwt";

export interface Response {
  status: number;
  description: string;
  /** Whether every call can get this response. Such responses are explained in one place. */
  isCommon: boolean;
  headers: { name: string; description: string; example: string }[];
  /** The fields of the body, or of each element if it is an array. */
  fields: Field[];
  isArray: boolean;
  /** Whether the body is text, but not JSON. */
  isText: boolean;
  /** Example bodies by name. */
  examples: [name: string, body: unknown][];
}

/**
 * Returns the operations of a description in their original order, with every reference resolved. `render` turns their Markdown
 * into HTML.
 */
export const operationsOf = (
  description: Description,
  render: (markdown: string) => string = (markdown) => markdown,
): Operation[] => {
  const resolve = <Target extends object>(part: Target | Reference): Target => {
    if (!("$ref" in part)) return part;
    const [, , kind = "", name = ""] = part.$ref.split("/");
    const target = description.components[kind]?.[name];
    if (!target) throw new Error(`The description has no ${part.$ref}.`);
    return resolve(target as Target | Reference);
  };

  /** What a parameter says about its field comes before what its schema says. */
  const fieldOf = (
    name: string,
    part: SchemaObject | Reference,
    required = false,
    said: Partial<ParameterObject> = {},
  ) => {
    const { description, examples, ...schema } = resolve(part);
    const example = textOf(said.example ?? examples?.[0]);
    return { name, required, description: render(said.description ?? description ?? ""), schema, example };
  };

  /** Returns the fields of an object, each followed by its own. `within` has the objects around it, because a tree has no end. */
  const fieldsOf = (schema: SchemaObject, prefix = "", within: readonly SchemaObject[] = []): Field[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, part]) => [
      fieldOf(prefix + name, part, schema.required?.includes(name)),
      ...innerFields(part, prefix + name, [...within, schema]),
    ]);

  const innerFields = (part: SchemaObject | Reference, path: string, within: readonly SchemaObject[]): Field[] => {
    const { anyOf = [], ...schema } = resolve(part);
    if (schema.items) return innerFields(schema.items, `${path}[]`, within);
    if (typeof schema.additionalProperties === "object")
      return innerFields(schema.additionalProperties, `${path}.*`, within);
    if (schema.properties) return within.includes(resolve(part)) ? [] : fieldsOf(resolve(part), `${path}.`, within);
    return anyOf.flatMap((option) => innerFields(option, path, within));
  };

  const parametersOf = ({ parameters = [] }: OperationObject): RequestField[] =>
    parameters
      .map((part) => resolve(part))
      .map((parameter) => ({
        ...fieldOf(parameter.name, parameter.schema, parameter.required, parameter),
        in: parameter.in,
      }));

  /** Returns the fields of the body, and the body if it is JSON. The first media type describes it best. */
  const bodyOf = ({ requestBody }: OperationObject): { bodyFields: RequestField[]; json: JsonBody | undefined } => {
    const [[mediaType, content] = []] = Object.entries(requestBody?.content ?? {});
    if (mediaType === undefined || !content) return { bodyFields: [], json: undefined };
    const { schema, example } = content;
    const isJson = mediaType.endsWith("json");
    const bodyFields = fieldsOf(resolve(schema)).map((field) => ({
      ...field,
      in: isJson ? ("json" as const) : ("form" as const),
      example: textOf(example?.[field.name] ?? field.example),
    }));
    return { bodyFields, json: isJson ? { mediaType, example: JSON.stringify(example, null, 2) } : undefined };
  };

  const responseOf = ([status, part]: [string, ResponseObject | Reference]): Response => {
    const response = resolve(part);
    const [[mediaType = "", body] = []] = Object.entries(response.content ?? {});
    const schema: SchemaObject = body?.schema ? resolve(body.schema) : {};
    const element: SchemaObject = schema.items ? resolve(schema.items) : schema;
    const errors = Object.keys(body?.examples ?? {});
    return {
      status: Number(status),
      description: render(response.description),
      isCommon: "$ref" in part || (errors.length > 0 && errors.every((code) => commonErrors.has(code))),
      headers: Object.entries(response.headers ?? {}).map(([name, header]) => {
        const { description, example } = resolve(header);
        return { name, description: render(description), example: textOf(example) };
      }),
      fields: fieldsOf(element),
      isArray: schema.items !== undefined,
      isText: mediaType.startsWith("text/"),
      examples: [
        ...(body?.example === undefined ? [] : [["", body.example] as [string, unknown]]),
        ...Object.entries(body?.examples ?? {}).map(([name, { value }]): [string, unknown] => [name, value]),
      ],
    };
  };

  const commonErrors = new Set(
    Object.values(description.components.responses ?? {}).flatMap((response: Partial<ResponseObject>) =>
      Object.values(response.content ?? {}).flatMap(({ examples = {} }) => Object.keys(examples)),
    ),
  );
  const tagTexts = new Map(description.tags.map((tag) => [tag.name, tag.description]));
  const { name, module } = clientNamesOf({ "x-client": "integration-api-client", ...description.info });
  const ids = Object.values(description.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => endpointOf(operationId)),
  );
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { bodyFields, json } = bodyOf(operation);
      return {
        id: operation.operationId,
        client: { name, module, method: methodNameOf(endpointOf(operation.operationId), ids) },
        tag: operation.tags[0] ?? "",
        method: method.toUpperCase(),
        path,
        summary: operation.summary,
        description: render(operation.description),
        deprecation: operation.deprecated ? render(tagTexts.get(operation.tags[0] ?? "") ?? "") : undefined,
        credential: credentialOf(operation),
        fields: [...parametersOf(operation), ...bodyFields],
        json,
        responses: Object.entries(operation.responses).map(responseOf),
      };
    }),
  );
};

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : String(value));
