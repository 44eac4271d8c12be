import { exampleAddress } from "../../../lambdas/addresses.ts";
import type { Credential, Operation, RequestField } from "../description.ts";
import { type Language, variableOf } from "./languages.ts";

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
type Values = Readonly<Record<string, string>>;

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

/** A program, or a command, that makes a call. It reads its token, or its invitation, from the environment. */
export const sampleOf = (call: Call, language: Language): string => writers[language](call);

const curl = ({ method, path, credential, headers, form }: Call): string =>
  [
    `curl ${impliedByCurl({ method, form }) ? "" : `-X ${method} `}${shellText(exampleAddress + path)}`,
    `-H ${shellText("Accept: application/json")}`,
    `-H "X-Token: ${variableOf("sh", credential)}"`,
    ...headers.map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`),
    ...form.map(([name, value]) => `--data-urlencode ${shellText(`${name}=${value}`)}`),
  ].join(" \\\n  ");

const impliedByCurl = ({ method, form }: Pick<Call, "method" | "form">): boolean =>
  method === (form.length > 0 ? "POST" : "GET");

const shellText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const javascript = ({ method, path, credential, headers, form, hasResponseBody }: Call): string => `\
const response = await fetch(${quoted(exampleAddress + path)}, {
${method === "GET" ? "" : `  method: "${method}",\n`}\
  headers: {
    Accept: "application/json",
    "X-Token": ${variableOf("js", credential)},
${lines(headers, ([name, value]) => `    ${quoted(name)}: ${quoted(value)},`)}\
  },
${
  form.length > 0
    ? `  body: new URLSearchParams({\n${lines(form, ([name, value]) => `    ${quoted(name)}: ${quoted(value)},`)}  }),\n`
    : ""
}\
});
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);
console.log(${hasResponseBody ? "await response.json()" : "response.status"});`;

const python = ({ method, path, credential, headers, form, hasResponseBody }: Call): string => `\
${hasResponseBody ? "import json\n" : ""}\
import os
import urllib.error
${form.length > 0 ? "import urllib.parse\n" : ""}\
import urllib.request

request = urllib.request.Request(
    ${quoted(exampleAddress + path)},
${method === "GET" ? "" : `    method="${method}",\n`}\
    headers={
        "Accept": "application/json",
        "X-Token": ${variableOf("python", credential)},
${lines(headers, ([name, value]) => `        ${quoted(name)}: ${quoted(value)},`)}\
    },
${
  form.length > 0
    ? `    data=urllib.parse.urlencode({\n${lines(form, ([name, value]) => `        ${quoted(name)}: ${quoted(value)},`)}    }).encode(),\n`
    : ""
}\
)
try:
    with urllib.request.urlopen(request, timeout=30) as response:
        print(${hasResponseBody ? "json.load(response)" : "response.status"})
except urllib.error.HTTPError as error:
    raise SystemExit(f"{error.code} {error.read().decode()}")`;

const php = ({ method, path, credential, headers, form, hasResponseBody }: Call): string => `\
<?php
$stream = fopen(${phpText(exampleAddress + path)}, "r", false, stream_context_create(["http" => [
    "method" => "${method}",
    "header" => [
        "Accept: application/json",
        "X-Token: " . ${variableOf("php", credential)},
${form.length > 0 ? `        "Content-Type: application/x-www-form-urlencoded",\n` : ""}\
${lines(headers, ([name, value]) => `        ${phpText(`${name}: ${value}`)},`)}\
    ],
${
  form.length > 0
    ? `    "content" => http_build_query([\n${lines(form, ([name, value]) => `        ${phpText(name)} => ${phpText(value)},`)}    ]),\n`
    : ""
}\
    "ignore_errors" => true,
]]));
if (!$stream) exit(1);
$status = (int) explode(" ", stream_get_meta_data($stream)["wrapper_data"][0])[1];
$body = stream_get_contents($stream);
if ($status >= 300) {
    fwrite(STDERR, "$status $body\\n");
    exit(1);
}
${hasResponseBody ? "print_r(json_decode($body, true));" : "echo $status;"}`;

const writers: Readonly<Record<Language, (call: Call) => string>> = { sh: curl, js: javascript, python, php };

/** A string in JavaScript and in Python. */
const quoted = (text: string): string => JSON.stringify(text);

const phpText = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;

const lines = <Item>(items: readonly Item[], line: (item: Item) => string): string =>
  items.map((item) => `${line(item)}\n`).join("");
