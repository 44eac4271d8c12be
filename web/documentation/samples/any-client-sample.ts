import { variableOf } from "../../../openapi/clients/python-operations.ts";
import type { Call, TypedValue } from "./call.ts";
import { objectIn } from "./json-object.ts";
import { type ClientSamples, withClient } from "./with-client.ts";

/**
 * Returns code that makes a call of any service with its clients, or nothing if its JSON is invalid. The Python client can't send
 * other headers than the token. `inPython` replaces the Python statement, for a client with its own methods.
 */
export const anySamplesOf = (call: Call, inPython?: string): ClientSamples => {
  const { parameters, headers, json, client } = call;
  const body = json ? objectIn(json.text) : formIn(parameters.form);
  if (json && !body) return {};
  const argument = [
    ...parameters.path.map(literalInPython),
    ...(body ? [python(body, "")] : []),
    ...parameters.query.map((one) => `${variableOf(one[0])}=${literalInPython(one)}`),
  ].join(", ");
  const made = `client.${client.method}(${argument})`;
  const samples = withClient({ ts: typescript(call, body), python: inPython ?? pythonStatement(call, made) });
  return headers.length > 1 ? { ts: samples.ts } : samples;
};

const formIn = (fields: readonly TypedValue[]): object | undefined =>
  fields.length === 0
    ? undefined
    : Object.fromEntries(fields.map(([name, value, type]) => [name, type === "plain" ? JSON.parse(value) : value]));

const literal = ([, value, type]: TypedValue): string => (type === "plain" ? value : JSON.stringify(value));

const typescript = (call: Call, body: object | undefined): string => {
  const { method, parameters, headers, paging, responseBody } = call;
  const places = (["path", "query"] as const).flatMap((place) => {
    const members = parameters[place].map((one) => `${memberName(one[0])}: ${literal(one)}`);
    return members.length > 0 ? [`${place}: { ${members.join(", ")} }`] : [];
  });
  const others = headers.flatMap(([name, value]) =>
    typeof value === "string" ? [`${memberName(name)}: ${JSON.stringify(value)}`] : [],
  );
  const options = [
    ...(places.length > 0 ? [`params: { ${places.join(", ")} }`] : []),
    ...(others.length > 0 ? [`headers: { ${others.join(", ")} }`] : []),
    ...(body ? [`body: ${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")}`] : []),
  ];
  const given = options.length > 0 ? `, {\n${options.map((option) => `  ${option},\n`).join("")}}` : "";
  const path = JSON.stringify(parameters.template);
  if (paging) return `for await (const page of client.${paging}(${path}${given})) {\n  console.log(page);\n}`;
  const made = `await client.${method}(${path}${given})`;
  return responseBody === "none" ? `${made};` : `const result = ${made};\nconsole.log(result);`;
};

const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const pythonStatement = ({ paging, responseBody }: Call, call: string): string => {
  if (paging) return `for item in ${call}:\n    print(item)`;
  return responseBody === "none" ? call : `print(${call})`;
};

const literalInPython = (one: TypedValue): string =>
  one[2] === "plain" ? python(JSON.parse(one[1]), "") : literal(one);

/** Writes a value of JSON in Python. Its strings have the same escapes, except for halves of surrogate pairs. */
const python = (value: unknown, indent: string): string => {
  const inner = `${indent}    `;
  const block = (items: string[], [open, close]: readonly [string, string]) =>
    items.length === 0
      ? open + close
      : `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`;
  if (Array.isArray(value))
    return block(
      value.map((item) => python(item, inner)),
      ["[", "]"],
    );
  if (typeof value === "object" && value !== null) {
    return block(
      Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${python(one, inner)}`),
      ["{", "}"],
    );
  }
  if (value === null) return "None";
  return typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
};
