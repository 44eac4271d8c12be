import { exampleAddress } from "../../../lambdas/shared/addresses.ts";
import { isJwt, type Operation, type RequestField } from "../description.ts";
import type { Sample } from "../site.ts";
import type { Call, SentField, TypedValue } from "./call.ts";
import { clientSamplesOf } from "./client-samples.ts";
import { type Language, variableOf } from "./languages.ts";

/** The values that a reader has entered, by field. */
type Values = Readonly<Record<string, string>>;

/** Returns a field's key. A path and a form may have fields with the same name. */
export const fieldKey = (field: RequestField): string => `${field.in}.${field.name}`;

/** The key of a JSON body. */
export const jsonKey = "json";

/** Returns the values of an example call. Optional fields are left out. */
export const exampleValues = ({ fields, json }: Operation): Values => ({
  ...Object.fromEntries(fields.map((field) => [fieldKey(field), field.required ? field.example : ""])),
  ...(json && { [jsonKey]: json.example }),
});

/** Builds a call from an operation and values. Optional fields without a value are not sent. */
export const callOf = (operation: Operation, values: Values): Call => {
  const { id, client, method, path, credential, fields, json, responses } = operation;
  const sent = (place: RequestField["in"]): [name: string, value: string][] =>
    fields
      .filter((field) => field.in === place)
      .map((field): [RequestField, string] => [field, values[fieldKey(field)] ?? ""])
      .filter(([field, value]) => field.required || value !== "")
      .map(([field, value]) => [field.name, value]);

  const typed = (place: "path" | "query" | "form") =>
    sent(place).map(([name, value]): TypedValue => {
      const { type } = fields.find((field) => field.in === place && field.name === name)?.schema ?? {};
      const isPlain = type !== undefined && type !== "string" && /^(true|false|-?(0|[1-9]\d*)(\.\d+)?)$/.test(value);
      return [name, value, isPlain ? "plain" : "text"];
    });
  const parameters = new Map(sent("path"));
  const jwt = fields.find(isJwt)?.name;
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(parameters.get(name) ?? ""));
  const query = new URLSearchParams(sent("query")).toString();
  return {
    id,
    client,
    method,
    parameters: { template: path, path: typed("path"), query: typed("query"), form: typed("form") },
    paging: pagingOf(responses),
    path: query ? `${filled}?${query}` : filled,
    headers: [...(credential === "jwt" ? [] : [["X-Token", { credential }] as const]), ...sent("header")],
    sent: Object.fromEntries(
      (["path", "query", "header", "form"] as const).flatMap(sent).filter(([name]) => name !== jwt),
    ),
    form: sent("form").map(([name, value]): SentField => [name, name === jwt ? { credential: "jwt" } : value]),
    ...(json && { json: { mediaType: json.mediaType, text: values[jsonKey] ?? json.example } }),
    responseBody: responseBodyOf(responses.filter(({ status }) => status < 300)),
  };
};

const pagingOf = (responses: Operation["responses"]): Call["paging"] => {
  const fields = new Set(responses.flatMap((response) => response.fields.map(({ name }) => name)));
  if (["changed", "deleted", "cursor", "more"].every((name) => fields.has(name))) return "changes";
  return responses.some(({ headers }) => headers.some(({ name }) => name === "Link")) ? "pages" : undefined;
};

const responseBodyOf = (successes: Operation["responses"]): Call["responseBody"] => {
  if (successes.some(({ examples }) => examples.length > 0)) return "json";
  return successes.some(({ isText }) => isText) ? "text" : "none";
};

/** Returns a command and programs that make a call. They read its credential from the environment. */
export const samplesOf = (call: Call): (Sample & { language: Language })[] => {
  const { ts, python } = clientSamplesOf(call);
  return [
    { language: "sh", code: curl(call) },
    ...(ts === undefined ? [] : [{ language: "ts", code: ts } as const]),
    ...(python === undefined ? [] : [{ language: "python", code: python } as const]),
    { language: "php", code: php(call) },
  ];
};

const curl = ({ method, path, headers, form, json }: Call): string =>
  [
    `curl ${impliedByCurl({ method, form, json }) ? "" : `-X ${method} `}${shellText(exampleAddress + path)}`,
    `-H ${shellText("Accept: application/json")}`,
    ...(json ? [`-H ${shellText(`Content-Type: ${json.mediaType}`)}`] : []),
    ...headers.map(([name, value]) => `-H ${shellPair(`${name}: `, value)}`),
    ...form.map(([name, value]) => `--data-urlencode ${shellPair(`${name}=`, value)}`),
    ...(json ? [`--data-raw ${shellText(json.text)}`] : []),
  ].join(" \\\n  ");

const impliedByCurl = ({ method, form, json }: Pick<Call, "method" | "form"> & { json: Call["json"] }): boolean =>
  method === (form.length > 0 || json ? "POST" : "GET");

const shellText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const shellPair = (start: string, value: SentField[1]): string =>
  typeof value === "string" ? shellText(start + value) : `"${start}${variableOf("sh", value.credential)}"`;

const php = ({ method, path, headers, form, json, responseBody }: Call): string => `\
<?php
$stream = fopen(${phpText(exampleAddress + path)}, "r", false, stream_context_create(["http" => [
    "method" => "${method}",
    "header" => [
        "Accept: application/json",
${form.length > 0 ? `        "Content-Type: application/x-www-form-urlencoded",\n` : ""}\
${json ? `        ${phpText(`Content-Type: ${json.mediaType}`)},\n` : ""}\
${lines(headers, ([name, value]) => `        ${phpText(`${name}: `)} . ${phpValue(value)},`)}\
    ],
${
  form.length > 0
    ? `    "content" => http_build_query([\n${lines(form, ([name, value]) => `        ${phpText(name)} => ${phpValue(value)},`)}    ]),\n`
    : ""
}\
${json ? `    "content" => ${phpText(json.text)},\n` : ""}\
    "ignore_errors" => true,
]]));
if (!$stream) exit(1);
$status = (int) explode(" ", stream_get_meta_data($stream)["wrapper_data"][0])[1];
$body = stream_get_contents($stream);
if ($status >= 300) {
    fwrite(STDERR, "$status $body\\n");
    exit(1);
}
${{ json: "print_r(json_decode($body, true));", text: "echo $body;", none: "echo $status;" }[responseBody]}`;

const phpValue = (value: SentField[1]): string =>
  typeof value === "string" ? phpText(value) : variableOf("php", value.credential);

const phpText = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;

const lines = <Item>(items: readonly Item[], line: (item: Item) => string): string =>
  items.map((item) => `${line(item)}\n`).join("");
