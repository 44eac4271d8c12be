/*
 * What a client of a service needs to know, read from the description of its API. Every object has a name here, because not every
 * language has types without a name.
 */

/** A schema in the description. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
}

type Content = Record<string, { schema: Schema }>;

interface DescribedOperation {
  operationId: string;
  summary: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { headers?: object; content?: Content }>;
  "x-repeatable"?: boolean;
}

/** The parts of an API description that clients are made from. */
export interface Description {
  info: { title: string; "x-client": string };
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema> };
}

/** A body that a client returns: JSON with a schema, text, bytes, the address of a redirect, or nothing. */
export type Result = Schema | "text" | "bytes" | "location" | "nothing";

export interface EndpointName {
  /** The name of the endpoint, such as `create-shipment`. */
  name: string;
  version: string;
}

export interface ClientOperation extends EndpointName {
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: readonly Parameter[];
  body: Schema | undefined;
  /** Whether the body is a form. Otherwise, it is JSON. */
  isForm: boolean;
  results: readonly Result[];
  /** The statuses of responses without a body, apart from those that never have one. */
  emptyStatuses: readonly number[];
  /** The type of a body that is not JSON. */
  media: string | undefined;
  isPaged: boolean;
  isConditional: boolean;
  /** Whether it is safe to repeat the request, although its method doesn't say so. */
  isRepeatable: boolean;
}

export interface ClientModel {
  title: string;
  operations: readonly ClientOperation[];
  /** The objects in requests and responses, by name. */
  schemas: ReadonlyMap<string, Schema>;
  errorCodes: readonly string[];
}

/** The operations that each client has as methods, because they replace or end its token. */
const tokenOperations = /^(POST|DELETE) \/api\/v\d+\/token(\/(rotation|move|exchange))?$/;

/** The operations that the Python client has as methods. */
export const pythonMethods = /^(GET|POST|DELETE) \/api\/v\d+\/token(\/(rotation|move|exchange))?$/;

/** Reads what clients need from a description. @param without operations for which a client has its own methods */
export const clientModelOf = (
  { info, paths, components }: Description,
  without: RegExp = tokenOperations,
): ClientModel => {
  const { schemas, lift } = namedSchemas(components.schemas);
  const described = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    .filter(({ method, path }) => !without.test(`${method} ${path}`))
    .toSorted((one, other) => depthOf(one.path) - depthOf(other.path));
  // The operations of a record give its type its name, not those of lists, or of what is below the record.
  const ranked = described.toSorted((one, other) => rankOf(one.path) - rankOf(other.path));
  const results = new Map(ranked.map((one) => [one, resultsOf(one.operation, nounOf(one.path), lift)]));
  const operations = described.map((one): ClientOperation => {
    const { path, method, operation } = one;
    const [[bodyType, body] = []] = Object.entries(operation.requestBody?.content ?? {});
    const responses = successesOf(operation);
    const media = responses.flatMap(({ content = {} }) => Object.keys(content)).find((type) => !isJson(type));
    return {
      ...endpointOf(operation.operationId),
      ...{ method, path, media },
      summary: operation.summary,
      description: operation.description,
      parameters: (operation.parameters ?? []).filter((parameter) => parameter.in !== "header"),
      body: body && lift(body.schema, `${pascalCase(endpointOf(operation.operationId).name)}Body`),
      isForm: bodyType === "application/x-www-form-urlencoded",
      results: results.get(one) ?? [],
      emptyStatuses: responses.flatMap(({ status, content }) => (content ? [] : Number(status))).filter(mayHaveBody),
      isPaged: responses.some(({ headers = {} }) => "Link" in headers),
      isConditional: "412" in operation.responses,
      isRepeatable: operation["x-repeatable"] ?? false,
    };
  });
  const errorCodes = (components.schemas.Error?.properties?.code?.enum ?? []).map(String);
  return { title: info.title, operations, schemas, errorCodes };
};

/** Splits `v1-create-shipment` into the version and the name of the endpoint. */
export const endpointOf = (operationId: string): EndpointName => {
  const [, version = "", name = ""] = /^(v\d+)-(.*)$/.exec(operationId) ?? [];
  return { version, name };
};

/** Turns `packing-list` and `packing_list` into `PackingList`. */
export const pascalCase = (text: string): string =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const depthOf = (path: string): number => path.split("/").length;

/** Ranks the paths of records before those of lists, and changes last, because they consist of records. */
const rankOf = (path: string): number => {
  if (path.endsWith("/changes")) return 2;
  return path.endsWith("}") ? 0 : 1;
};

/** Names what a path is about: `Shipment` for `/api/v1/shipment/{shipment_id}`, and `ShipmentChanges` for its changes. */
const nounOf = (path: string): string => {
  const parts = path.split("/").filter((part) => part !== "" && !part.startsWith("{"));
  const suffix = path.endsWith("/changes") ? "Changes" : "";
  return singular(pascalCase(parts.at(suffix ? -2 : -1) ?? "")) + suffix;
};

const singular = (name: string): string =>
  name
    .replace(/ies$/, "y")
    .replace(/(ss|x|sh|ch|us)es$/, "$1")
    .replace(/([^su])s$/, "$1");

const isJson = (mediaType: string): boolean => mediaType === "application/json";

const isSuccess = (status: string): boolean => /^2\d\d$|^303$/.test(status);

const mayHaveBody = (status: number): boolean => status !== 204 && status !== 205 && status !== 303;

const successesOf = ({ responses }: DescribedOperation) =>
  Object.entries(responses).flatMap(([status, response]) => (isSuccess(status) ? [{ ...response, status }] : []));

const resultsOf = (operation: DescribedOperation, noun: string, lift: Lift): Result[] => {
  const results = successesOf(operation).map(({ status, content = {} }): Result => {
    const [[type, body] = []] = Object.entries(content);
    if (status === "303") return "location";
    if (type === undefined || body === undefined) return "nothing";
    if (isJson(type)) return lift(body.schema, noun);
    return type.startsWith("text/") ? "text" : "bytes";
  });
  return [...new Map(results.map((result) => [JSON.stringify(result), result])).values()];
};

type Lift = (schema: Schema, name: string) => Schema;

export const referenceTo = ({ $ref = "" }: Schema): string => $ref.replace("#/components/schemas/", "");

/** Collects the objects in schemas. Equal objects get one name. */
const namedSchemas = (components: Record<string, Schema>) => {
  const schemas = new Map<string, Schema>();
  const names = new Map<string, string>();

  const register = (name: string, schema: Schema): Schema => {
    const { description: _, ...content } = schema;
    const key = JSON.stringify(content);
    let free = names.get(key) ?? name;
    for (let count = 2; !names.has(key) && (schemas.has(free) || free in components); count += 1) free = name + count;
    names.set(key, free);
    schemas.set(free, schemas.get(free) ?? schema);
    return { $ref: `#/components/schemas/${free}` };
  };

  /** Replaces each object in a schema by a reference to a named schema. */
  const lift: Lift = (schema, name) => {
    if (schema.$ref !== undefined) {
      const component = referenceTo(schema);
      const { [component]: referenced } = components;
      if (referenced && !schemas.has(component)) {
        // Set at once, because a schema may contain itself.
        schemas.set(component, referenced);
        schemas.set(component, liftParts(referenced, component));
      }
      return schema;
    }
    const lifted = liftParts(schema, name);
    return lifted.properties ? register(name, lifted) : lifted;
  };

  const liftParts: Lift = ({ additionalProperties: more, items, properties, ...rest }, name) => {
    const each = (of: Schema[]) => of.map((one) => lift(one, name));
    const { anyOf, oneOf, ...others } = rest;
    return {
      ...others,
      ...(anyOf && { anyOf: each(anyOf) }),
      ...(oneOf && { oneOf: each(oneOf) }),
      ...(items && { items: lift(items, singular(name)) }),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([field, one]) => [field, lift(one, name + pascalCase(field))]),
        ),
      }),
      // A later release may promise more than the service does today.
      ...(typeof more === "object" && { additionalProperties: lift(more, `${name}Value`) }),
    };
  };

  return { schemas, lift };
};
