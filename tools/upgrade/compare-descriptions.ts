import { isDeepStrictEqual } from "node:util";
import { type Description, resolve } from "../support/contract/description.ts";
import { type Breakage, compareSchemas, type Schemas } from "./compare-schemas.ts";

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: object;
}

interface Body {
  required?: boolean;
  content?: Record<string, { schema: object }>;
}

interface Header {
  required?: boolean;
  schema: object;
}

interface Response extends Body {
  headers?: Record<string, Header>;
}

interface Operation {
  operationId?: string;
  security?: unknown;
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Response>;
}

/**
 * Finds the changes from a released description to the present one that can break a client which was written for the released
 * one. Additions that a client can ignore do not count: operations, security schemes, optional parameters and fields of
 * requests, fields and headers of responses, error statuses and error codes.
 */
export const compareDescriptions = (releasedDescription: Description, presentDescription: Description): Breakage[] => {
  const [released, present] = [withoutProse(releasedDescription), withoutProse(presentDescription)];
  const settings = ["servers", "security"].flatMap((name) =>
    changed("the API", name, part(released, name), part(present, name)),
  );
  // A new scheme is used only by new calls: the comparison of calls covers the schemes that they need.
  for (const [name, scheme] of Object.entries(released.components.securitySchemes ?? {})) {
    const now = part(present.components.securitySchemes ?? {}, name);
    settings.push(...changed("the API", `the security scheme ${name}`, scheme, now));
  }
  const operations = Object.entries(released.paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) => {
      const place = `${method.toUpperCase()} ${path}`;
      const before = operationOf(released, path, method);
      const after = operationOf(present, path, method);
      if (!before) return [];
      return after
        ? compareOperations(place, before, after, { released, present })
        : [{ place, change: "has been removed" }];
    }),
  );
  return [...settings, ...operations];
};

const part = (description: object, name: string): unknown => (description as Record<string, unknown>)[name];

const changed = (place: string, name: string, before: unknown, after: unknown): Breakage[] =>
  isDeepStrictEqual(before, after)
    ? []
    : [{ place, change: `${name} has changed from ${JSON.stringify(before)} to ${JSON.stringify(after)}` }];

/** An operation with its references resolved, except for those in schemas. */
const operationOf = (description: Description, path: string, method: string): Operation | undefined => {
  const operation: Partial<Operation> | undefined = description.paths[path]?.[method] as Partial<Operation> | undefined;
  if (!operation) return undefined;
  const { responses = {}, parameters = [], requestBody } = operation;
  return {
    ...operation,
    parameters: parameters.map((parameter) => resolve<Parameter>(description, parameter)),
    ...(requestBody && { requestBody: resolve<Body>(description, requestBody) }),
    responses: mapValues(responses, (response) => {
      const { headers = {}, ...rest } = resolve<Response>(description, response);
      return { ...rest, headers: mapValues(headers, (header) => resolve<Header>(description, header)) };
    }),
  };
};

const mapValues = <Value, Result>(of: Record<string, Value>, map: (value: Value) => Result): Record<string, Result> =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, map(value)]));

const compareOperations = (place: string, before: Operation, after: Operation, descriptions: Schemas): Breakage[] => [
  // Generated clients name their functions after it.
  ...changed(place, "operationId", before.operationId, after.operationId),
  ...changed(place, "security", before.security, after.security),
  ...compareParameters(place, before, after, descriptions),
  ...compareRequestBodies(`${place} request`, before.requestBody, after.requestBody, descriptions),
  ...compareResponses(place, before, after, descriptions),
];

const compareParameters = (place: string, before: Operation, after: Operation, descriptions: Schemas): Breakage[] => {
  const { parameters: released = [] } = before;
  const { parameters: present = [] } = after;
  const find = (all: Parameter[], { name, in: where }: Parameter) =>
    all.find((one) => one.name === name && one.in === where);
  const added = present
    .filter((parameter) => parameter.required && !find(released, parameter)?.required)
    .map(({ name, in: where }) => ({ place: `${place} ${where} parameter ${name}`, change: "is now required" }));
  const kept = released.flatMap((parameter) => {
    const where = `${place} ${parameter.in} parameter ${parameter.name}`;
    const now = find(present, parameter);
    if (!now) return [{ place: where, change: "has been removed" }];
    return compareSchemas(where, parameter.schema, now.schema, { ...descriptions, direction: "request" });
  });
  return [...added, ...kept];
};

const compareRequestBodies = (
  place: string,
  before: Body | undefined,
  after: Body | undefined,
  descriptions: Schemas,
) => {
  if (!before) return after?.required ? [{ place, change: "now needs a body" }] : [];
  if (!after) return [{ place, change: "no longer has a body" }];
  const required = after.required && !before.required ? [{ place, change: "now needs a body" }] : [];
  return [...required, ...compareContent(place, before, after, { ...descriptions, direction: "request" })];
};

const compareResponses = (place: string, before: Operation, after: Operation, descriptions: Schemas): Breakage[] => {
  const added = Object.keys(after.responses)
    .filter((status) => Number(status) < 400 && !(status in before.responses))
    .map((status) => ({ place: `${place} ${status}`, change: "is a new outcome that released clients do not know" }));
  const kept = Object.entries(before.responses).flatMap(([status, released]) => {
    const where = `${place} ${status}`;
    const present = after.responses[status];
    if (!present) return [{ place: where, change: "has been removed" }];
    const direction = Number(status) < 400 ? "response" : "error response";
    const options = { ...descriptions, direction } as const;
    return [...compareHeaders(where, released, present, options), ...compareContent(where, released, present, options)];
  });
  return [...added, ...kept];
};

type Options = Parameters<typeof compareSchemas>[3];

const compareHeaders = (place: string, before: Response, after: Response, options: Options): Breakage[] =>
  Object.entries(before.headers ?? {}).flatMap(([name, released]) => {
    const where = `${place} header ${name}`;
    const present = after.headers?.[name];
    if (!present) return [{ place: where, change: "has been removed" }];
    const required =
      released.required && !present.required ? [{ place: where, change: "is no longer always sent" }] : [];
    return [...required, ...compareSchemas(where, released.schema, present.schema, options)];
  });

const compareContent = (place: string, before: Body, after: Body, options: Options): Breakage[] => {
  if (!before.content) return after.content ? [{ place, change: "now has a body" }] : [];
  return Object.entries(before.content).flatMap(([type, { schema }]) => {
    const now = after.content?.[type];
    if (!now) return [{ place, change: `no longer has the type ${type}` }];
    return compareSchemas(`${place} body`, schema, now.schema, options);
  });
};

const prose = new Set(["summary", "description", "example", "examples", "tags", "title", "license"]);

/** The objects under these names contain names that the API has chosen, such as fields. */
const namesBelow = new Set(["properties", "headers", "schemas", "responses", "paths", "securitySchemes", "content"]);

/** A description without the parts that only people read: a client can depend on the rest. */
export const withoutProse = (description: Description): Description => strip(description, false) as Description;

const strip = (part: unknown, areNames: boolean): unknown => {
  if (Array.isArray(part)) return part.map((item) => strip(item, false));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(
    Object.entries(part)
      .filter(([name]) => areNames || !prose.has(name))
      .map(([name, value]) => [name, strip(value, !areNames && namesBelow.has(name))]),
  );
};
