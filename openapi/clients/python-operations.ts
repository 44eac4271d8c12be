import {
  type ClientModel,
  type ClientOperation,
  type EndpointName,
  pascalCase,
  type Result,
  referenceTo,
  type Schema,
} from "./client-model.ts";

const notice = "Generated from the API description. Do not edit.";

/** Generates the module `error_codes` of the Python client. */
export const pythonErrorCodesOf = ({ errorCodes }: ClientModel): string => `\
"""The error codes that the service documents. ${notice}"""

from typing import Literal, TypeAlias

# A later release of the service may have more.
ErrorCode: TypeAlias = Literal[
${errorCodes.map((code) => `    ${JSON.stringify(code)},\n`).join("")}]
`;

/** Generates the module `operations` of the Python client for a service. */
export const pythonOperationsOf = ({ operations, schemas }: ClientModel): string => `\
"""The calls of this service, apart from those for tokens. ${notice}"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, cast

from .calls import Calls, OnResponse, ignore
from .reads import UNCONDITIONAL, Unconditional

if TYPE_CHECKING:
    from typing_extensions import NotRequired

${Array.from(schemas, ([name, schema]) => classOf(classNameOf(name), schema)).join("\n")}

class Operations(Calls):
    """The calls of this service."""
${operations.map((operation) => methodOf(operation, operations, schemas)).join("")}`;

/** Returns a Python literal. Python's strings support the escapes of JSON. */
const text = (value: unknown): string => JSON.stringify(value);

const docstring = (content: string | undefined, indent: string): string => {
  const line = (content ?? "").replaceAll("\\", "\\\\").replaceAll('"', "'").replaceAll(/\s+/g, " ");
  return line === "" ? "" : `${indent}"""${line}"""\n`;
};

const classOf = (name: string, schema: Schema): string => {
  const { properties, required = [], description } = schema;
  if (!properties) return `\n${name}: TypeAlias = ${text(typeOf(schema))}\n`;
  const fields = Object.entries(properties).map(([field, property]) => {
    const type = typeOf(property);
    return [field, required.includes(field) ? type : `NotRequired[${type}]`, property.description] as const;
  });
  const isPlain = fields.every(([field]) => identifierOf(field) === field);
  if (!isPlain) {
    // mypy does not accept a quoted None here.
    const entries = fields.map(([field, type]) => `${text(field)}: ${type === "None" ? type : text(type)}`);
    return `\n${name} = TypedDict("${name}", {${entries.join(", ")}})\n`;
  }
  const lines = fields.map(([field, type, about]) => `    ${field}: ${type}\n${docstring(about, "    ")}`);
  return `\nclass ${name}(TypedDict):\n${docstring(description, "    ")}${lines.join("") || "    pass\n"}`;
};

const methodOf = (
  operation: ClientOperation,
  all: readonly ClientOperation[],
  schemas: ClientModel["schemas"],
): string => {
  const { method, path, summary, description, parameters, body, isForm, results, isPaged, isConditional } = operation;
  const named = parameters.map((parameter) => ({ ...parameter, variable: variableOf(parameter.name) }));
  const inPath = named.filter((parameter) => parameter.in === "path");
  const inQuery = named
    .filter((parameter) => parameter.in === "query")
    .map((one) => (inPath.some(({ name }) => name === one.name) ? { ...one, variable: `${one.variable}_` } : one));
  const read = all.find((one) => one.path === path && one.method === "GET")?.results ?? results;
  const given = [
    "self",
    ...inPath.map(({ variable, schema }) => `${variable}: ${typeOf(schema)}`),
    ...(body ? [`body: ${typeOf(body)}`] : []),
    "*",
    ...inQuery.map(
      ({ variable, schema, required }) => `${variable}: ${typeOf(schema)}${required ? "" : " | None = None"}`,
    ),
    ...(isConditional ? [`if_unchanged: ${resultType(read)} | Unconditional = UNCONDITIONAL`] : []),
    "on_response: OnResponse = ignore",
  ];
  const dictOf = (fields: typeof named) => `{${fields.map((one) => `${text(one.name)}: ${one.variable}`).join(", ")}}`;
  const passed = [
    ...(isPaged ? [] : [text(method)]),
    text(path),
    ...(inPath.length > 0 ? [`parameters=${dictOf(inPath)}`] : []),
    ...(inQuery.length > 0 ? [`query=${dictOf(inQuery)}`] : []),
    ...(body ? [`${isForm ? "form" : "json"}=body`] : []),
    ...(isConditional ? ["if_unchanged=if_unchanged"] : []),
    ...(operation.isRepeatable ? ["repeatable=True"] : []),
    ...(operation.media ? [`media=${text(operation.media)}`] : []),
    ...(results.includes("location") ? ["redirects=True"] : []),
    ...(operation.emptyStatuses.length > 0 ? [`empty=(${operation.emptyStatuses.join(", ")},)`] : []),
    "on_response=on_response",
  ].join(", ");
  const [list] = results;
  const item = isPaged && typeof list === "object" && list.items ? typeOf(list.items) : undefined;
  const isChanges = typeof list === "object" && isPageOfChanges(schemas.get(referenceTo(list)));
  const type = item === undefined && !isChanges ? resultType(results) : `Iterator[${item ?? resultType(results)}]`;
  const how = !type.startsWith("Iterator")
    ? ""
    : isChanges
      ? " Iterates over the pages, until there is no more."
      : " Each page is requested when the iteration reaches it.";
  const call = type === "None" ? `self._call(${passed})` : `return cast(${text(type)}, self._call(${passed}))`;
  const changes = `while True:
            page = cast(${text(resultType(results))}, self._call(${passed}))
            yield page
            if not page["more"]:
                return
            cursor = page["cursor"]`;
  const work = isChanges
    ? changes
    : item === undefined
      ? call
      : `for page in self._pages(${passed}):\n            yield from cast(${text(`list[${item}]`)}, page)`;
  return `
    def ${methodNameOf(operation, all)}(${given.join(", ")}) -> ${type}:
${docstring(`${summary}. ${description}${how}`, "        ")}\
        ${work}
`;
};

const isPageOfChanges = (schema: Schema | undefined): boolean =>
  ["changed", "deleted", "cursor", "more"].every((name) => name in (schema?.properties ?? {}));

const resultType = (results: readonly Result[]): string => [...new Set(results.map(typeOfResult))].join(" | ");

const typeOfResult = (result: Result): string => {
  if (typeof result === "object") return typeOf(result);
  return { text: "str", bytes: "bytes", location: "str", nothing: "None" }[result];
};

const typeOf = (schema: Schema): string => {
  const { type, enum: values, const: value, items, additionalProperties: more } = schema;
  if (schema.$ref !== undefined) return classNameOf(referenceTo(schema));
  const literals = values ?? (value === undefined ? [] : [value]);
  // Python has no literal types of floats.
  if (literals.some((one) => typeof one === "number" && !Number.isSafeInteger(one))) return "float";
  if (literals.length > 0) return `Literal[${literals.map(literal).join(", ")}]`;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(typeOf))].join(" | ");
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(" | ");
  if (type === "array") return `list[${items ? typeOf(items) : "Any"}]`;
  if (type === "object") return `dict[str, ${typeof more === "object" ? typeOf(more) : "Any"}]`;
  return simpleTypes[type ?? ""] ?? "Any";
};

const simpleTypes: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

const literal = (value: unknown): string => {
  if (value === null) return "None";
  return typeof value === "boolean" ? pascalCase(String(value)) : text(value);
};

const keywords = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

const identifierOf = (name: string): string => {
  const plain = name.replaceAll(/\W/g, "_").replace(/^(?=\d)/, "_");
  return keywords.has(plain) ? `${plain}_` : plain;
};

/** Returns the name of a type. A name that the module uses for something else gets an underscore. */
const classNameOf = (name: string): string =>
  /^(Any|Calls|Iterator|Literal|NotRequired|OnResponse|Operations|TypeAlias|TypedDict|Unconditional)$/.test(name)
    ? `${name}_`
    : identifierOf(name);

/** Returns the name of an argument. A name that the methods use for something else gets an underscore. */
export const variableOf = (name: string): string =>
  ["self", "body", "if_unchanged", "on_response", "page", "cast"].includes(name) ? `${name}_` : identifierOf(name);

/** The methods that each client has, and the types that a method with their name would hide from the others. */
const taken = ["get_token", "rotate", "move", "revoke", "changes", ...Object.values(simpleTypes), "dict", "list"];

/** Names a method after the endpoint. If an earlier version has an endpoint with this name, the version is part of the name. */
export const methodNameOf = (operation: EndpointName, all: readonly EndpointName[]): string => {
  const method = identifierOf(operation.name);
  const first = all.find(({ name }) => name === operation.name);
  if (first?.version !== operation.version) return `${method}_${operation.version}`;
  return taken.includes(method) ? `${method}_` : method;
};
