import { type ClientModel, type ClientOperation, type Result, referenceTo, type Schema } from "./client-model.ts";

/** The part of the TypeScript client that depends on the service. */
interface ApiTypes {
  /** The module as TypeScript. */
  source: string;
  /** The module as JavaScript with its declarations. */
  javascript: string;
  declarations: string;
}

const operationsType = `{
  readonly [operation: string]:
    | {
        readonly form?: true;
        readonly media?: string;
        readonly redirects?: true;
        readonly repeatable?: true;
        readonly empty?: readonly number[];
      }
    | undefined;
}`;

/** Generates the module `api-types` of the TypeScript client. */
export const apiTypesOf = ({ operations, schemas, errorCodes }: ClientModel): ApiTypes => {
  const paths = Map.groupBy(operations, ({ path }) => path);
  const types = `\
/** The operations of the API, by path and method. */
export interface paths {
${Array.from(paths, ([path, all]) => `  ${JSON.stringify(path)}: {\n${all.map((one) => operationType(one, all)).join("")}  };\n`).join("")}\
}

/** The objects in requests and responses. */
export interface components {
  schemas: {
${Array.from(schemas, ([name, schema]) => `${comment(schema, "    ")}    ${name}: ${objectType(schema, "    ")};\n`).join("")}\
  };
}

/** The error codes that the service documents. A later release of the service may have more. */
export type ErrorCode =
${errorCodes.map((code) => `  | ${JSON.stringify(code)}`).join("\n")};
`;
  const exceptions = operations.flatMap(({ method, path, results, isForm, media, isRepeatable, emptyStatuses }) => {
    const members = [
      ...(isForm ? ["form: true"] : []),
      ...(media ? [`media: ${JSON.stringify(media)}`] : []),
      ...(results.includes("location") ? ["redirects: true"] : []),
      ...(isRepeatable ? ["repeatable: true"] : []),
      ...(emptyStatuses.length > 0 ? [`empty: [${emptyStatuses.join(", ")}]`] : []),
    ];
    return members.length > 0 ? [`  ${JSON.stringify(`${method} ${path}`)}: { ${members.join(", ")} },\n`] : [];
  });
  const notice = "// Generated from the API description. Do not edit.\n\n";
  const facts = "/** What the client needs to know to send requests and read responses, where it is not JSON. */\n";
  const value = `{\n${exceptions.join("")}};\n`;
  return {
    source: `${notice}${types}\n${facts}export const operations: ${operationsType} = ${value}`,
    javascript: `${notice}export const operations = ${value}`,
    declarations: `${notice}${types}\n${facts}export declare const operations: ${operationsType};\n`,
  };
};

/** Returns what a call takes and returns. An operation that needs a version takes the object that `GET` has read. */
const operationType = (operation: ClientOperation, samePath: readonly ClientOperation[]): string => {
  const { method, summary, description, parameters, body, results, isPaged, isConditional } = operation;
  const places = (["path", "query"] as const).flatMap((place) => {
    const fields = parameters.filter((parameter) => parameter.in === place);
    const isOptional = fields.every(({ required }) => !required);
    const members = fields.map(({ name, required, schema }) => member(name, schema, required));
    return fields.length === 0 ? [] : [`${place}${isOptional ? "?" : ""}: { ${members.join("; ")} }`];
  });
  const isOptional = places.every((place) => place.startsWith("query?"));
  const read = samePath.find((one) => one.method === "GET")?.results ?? results;
  const options = [
    ...(places.length > 0 ? [`params${isOptional ? "?" : ""}: { ${places.join("; ")} }`] : []),
    ...(body ? [`body: ${typeOf(body)}`] : []),
    ...(isConditional ? [`ifUnchanged?: ${resultType(read)}`] : []),
  ];
  return `\
${comment({ description: `${summary}. ${description}` }, "    ")}\
    ${method}: {
      options: {${options.map((option) => `\n        ${option};`).join("")}${options.length > 0 ? "\n      " : ""}};
      data: ${resultType(results)};
${isPaged ? "      paged: true;\n" : ""}\
    };
`;
};

const resultType = (results: readonly Result[]): string => [...new Set(results.map(typeOfResult))].join(" | ");

const typeOfResult = (result: Result): string => {
  if (typeof result === "object") return typeOf(result);
  return { text: "string", bytes: "Uint8Array", location: "string", nothing: "undefined" }[result];
};

const member = (name: string, schema: Schema, isRequired = false): string =>
  `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${isRequired ? "" : "?"}: ${typeOf(schema)}`;

const objectType = (schema: Schema, indent: string): string => {
  if (!schema.properties) return typeOf(schema);
  const fields = Object.entries(schema.properties).map(
    ([name, property]) =>
      `${comment(property, `${indent}  `)}${indent}  ${member(name, property, schema.required?.includes(name))};\n`,
  );
  return `{\n${fields.join("")}${indent}}`;
};

const typeOf = (schema: Schema): string => {
  const { type, enum: values, const: value, items, additionalProperties: more } = schema;
  if (schema.$ref !== undefined) return `components["schemas"][${JSON.stringify(referenceTo(schema))}]`;
  if (values) return values.map((one) => JSON.stringify(one)).join(" | ");
  if (value !== undefined) return JSON.stringify(value);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(typeOf))].join(" | ");
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(" | ");
  if (type === "array") return items ? `Array<${typeOf(items)}>` : "unknown[]";
  if (type === "object") return `{ [name: string]: ${typeof more === "object" ? typeOf(more) : "unknown"} }`;
  return simpleTypes[type ?? ""] ?? "unknown";
};

const simpleTypes: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

const comment = ({ description }: Schema, indent: string): string =>
  description ? `${indent}/** ${description.replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ")} */\n` : "";
