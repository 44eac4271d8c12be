import fc from "fast-check";
import * as z from "zod/mini";
import type { ObjectSchema } from "../../../lambdas/declaration/endpoint.ts";
import { requestExampleOf } from "../../../lambdas/declaration/request-example.ts";
import type { Service } from "../../../lambdas/declaration/service.ts";
import * as tables from "../../../lambdas/domain/tables.ts";
import { exampleJwt } from "../../../lambdas/domain/tokens/by-workload/read-jwt.ts";
import { exampleRequest } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { anyText } from "../support/any-text.ts";
import { actionExamples, operationExamples } from "../support/examples.ts";
import { jwtPlaceholder, names, secretMark } from "./case.ts";

/** Strings without spaces that have broken programs before. */
const words = `
  __proto__ constructor prototype hasOwnProperty toString then length null undefined NaN 0 -1 1e400 . .. ../../etc/passwd
  //evil.example a/b a\\b %0d%0aSet-Cookie:%20a=b % %% %zz %u0041 %C0%AF %E0%80%AF %ED%A0%80 %F8%88%80%80%80 %FF %00 %2e%2e%2f %3F
  + & = ; ? # " ' $(id) {{7*7}} {allow} <script>alert(1)</script> {"S":"x"} :now #name attribute_exists(a) itk_ iti_
`.match(/\S+/g) as string[];

const notorious = [
  ...words,
  ...["", " ", "\0", "\r\nSet-Cookie: a=b", "\u0085\u2028\u2029", "\uFEFF", "\u202E", "\uD800", "\uDC00\uD800"],
  ...["😀".repeat(64), "e\u0301".repeat(32), "\u0130\u017F\u212A", "' OR '1'='1", "[object Object]"],
];

const loneSurrogates = fc
  .array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units));

export const weighted = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Long strings are rare, because they are slow to generate. */
const repeated = fc
  .tuple(
    fc.constantFrom("a", "%41", "\0", "😀", "%", "[", "{", ",", ";", '"', "&a=1", "a[b]", "../", "\r\n", "é"),
    weighted([20, fc.integer({ min: 1, max: 300 })], [1, fc.integer({ min: 1_000, max: 20_000 })]),
  )
  .map(([text, times]) => text.repeat(times));

/** Any string. Notorious ones are more frequent. */
export const hostileText: fc.Arbitrary<string> = weighted<string>(
  [6, fc.constantFrom(...notorious)],
  [3, anyText({ maxLength: 80 })],
  [2, fc.string({ maxLength: 80 })],
  [1, loneSurrogates],
  [1, repeated],
  [2, fc.tuple(fc.constantFrom(...notorious), fc.string({ maxLength: 10 })).map((parts) => parts.join(""))],
);

/** A string with about the 64 code points that a v_code must have. The log must never show it. */
const secretText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...notorious, "v", "ü", "x"),
    fc.constantFrom("v", "😀", "é", "\u0301", " "),
    fc.constantFrom(64, 64, 64, 64, 63, 65, 0, 255),
  )
  .map(([start, filler, length]) => [...(secretMark + start), ...Array(length).fill(filler)].slice(0, length).join(""));

/** Plausible values for the fields of an input, which pass validation in most cases. */
type FieldValues = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const { key_id: exampleKeyId, v_code: exampleVCode } = tables.keys.example;
const { token_id: exampleTokenId } = tables.tokens.example;

/** Replacements for values in examples, so that they refer to existing records and secrets can be recognised. */
const substitutes = new Map<unknown, fc.Arbitrary<unknown>>([
  [exampleTokenId, fc.constantFrom(...names.map((name) => `<<${name}:id>>`), exampleTokenId, "<<active>>")],
  [exampleKeyId, fc.constantFrom(exampleKeyId, "another", "a/b", "a%2Fb", "a?b", "a+b", "a//b/", "..")],
  [exampleVCode, secretText],
  [exampleJwt, fc.constantFrom(jwtPlaceholder, jwtPlaceholder, exampleJwt, `${jwtPlaceholder}A`)],
]);

/** Useful values that cannot be derived from a schema. */
const hints: FieldValues = {
  ip: fc.constantFrom("203.0.113.1", exampleRequest.ip, "2001:DB8::1", "::ffff:203.0.113.2", "0.0.0.0", "10.0.0.0/8"),
  expires_at: fc.constantFrom(null, "2999-01-01T00:00:00Z", "9999-12-31T23:59:59+14:00", "2000-01-01T00:00:00Z"),
  code: fc.constantFrom("K7P4XQ", "k7p-4xq", "AAA-AAA", "K7P-4X", "-", ""),
  limit: fc.constantFrom("1", "1001"),
  cursor: fc.constantFrom("MTIzNDU2Nw", "MTIzNDU2N", "gA", "____", ""),
};

/** Returns the values that a schema names, and the values at and just beyond its bounds. */
const valuesOf = (schema: z.core.JSONSchema._JSONSchema): unknown[] => {
  const { type, default: usual, examples = [], enum: members = [], anyOf = [], ...rest } = Object(schema) as JsonSchema;
  const bounds = [rest.minimum, rest.maximum].filter((bound) => bound !== undefined);
  const lengths = [rest.minLength, rest.maxLength].filter((length) => length !== undefined);
  return [
    ...[usual].filter((value) => value !== undefined),
    ...examples,
    ...members,
    ...bounds.flatMap((bound) => [bound - 1, bound, bound + 1, String(bound)]),
    ...lengths.flatMap((length) => ["x".repeat(length), "ü".repeat(length), "x".repeat(length + 1)]),
    ...(type === "null" ? [null] : []),
    ...(type === "boolean" ? [true, false] : []),
    ...anyOf.flatMap(valuesOf),
  ];
};

type JsonSchema = z.core.JSONSchema.JSONSchema & { examples?: unknown[] };

const fieldValues = (schema: ObjectSchema, example: Readonly<Record<string, unknown>> = {}): FieldValues => {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const values = [...(Object.hasOwn(example, name) ? [example[name]] : []), ...valuesOf(property)];
      const substitute = values.map((value) => substitutes.get(value)).find((arbitrary) => arbitrary);
      const known = [...(hints[name] ? [hints[name]] : []), ...(values.length > 0 ? [fc.constantFrom(...values)] : [])];
      return [name, substitute ?? fc.oneof(...(known.length > 0 ? known : [fc.string()]))];
    }),
  );
};

/** Returns the values for the fields of each admin action, by the action's name. */
const actionValues = (service: Service): Map<string, FieldValues> =>
  new Map(actionExamples(service).map(({ name, input, fields }) => [name, fieldValues(input, fields)]));

/** Returns the same for the JSON bodies of admin requests. */
const jsonBodyValues = (service: Service): FieldValues[] =>
  actionExamples(service).flatMap(({ path, input, fields, request: { json } }) => {
    const inBody = Object.entries(fieldValues(input, fields)).filter(([field]) => !path.includes(`{${field}}`));
    return json ? [Object.fromEntries(inBody)] : [];
  });

const hostileValue = weighted<unknown>(
  [4, hostileText],
  [1, fc.jsonValue({ maxDepth: 3 })],
  [1, fc.constantFrom(null, true, 0, -1, 1.5, 1e308, 604_800, 604_801, [], {}, [["a"]])],
);

const strangeName = fc.oneof(
  fc.constantFrom("__proto__", "__proto__[a]", "ip[]", "v_code[a]", "KEY_ID", ""),
  hostileText,
);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Generates the fields of one of the inputs. Usually all fields are present and valid. Sometimes there are additional fields, or
 * fields of other inputs.
 */
const fieldsOf = (inputs: readonly FieldValues[]): fc.Arbitrary<Fields> =>
  fc.tuple(fc.constantFrom(...inputs), fc.constantFrom(...inputs)).chain(([own, others]) => {
    const values = (usual: FieldValues) =>
      Object.fromEntries(
        Object.entries(usual).map(([name, value]) => [name, weighted<unknown>([12, value], [2, hostileValue])]),
      );
    const some = fc.tuple(
      fc.record(values(own), { requiredKeys: [] }),
      fc.record(values(others), { requiredKeys: [] }),
      fc.dictionary(strangeName, hostileValue, { maxKeys: 3 }),
    );
    return weighted<Fields>(
      [3, fc.record(values(own))],
      [1, some.map(([first, second, strange]) => ({ ...first, ...second, ...strange }))],
    );
  });

/** Converts a value to a string. An object may have a `toString` that is not a function. */
const plain = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));
const encode = (value: unknown): string => encodeURIComponent(plain(value).toWellFormed());

/** Joins fields into a form or a query. Most are encoded, and some are repeated. */
const joined = (fields: fc.Arbitrary<Fields>): fc.Arbitrary<string> =>
  fc
    .tuple(fields, fc.constantFrom(encode, encode, encode, plain), fc.constantFrom(1, 1, 1, 2))
    .map(([values, write, times]) => {
      const text = Object.entries(values).map(([name, value]) => `${name}=${write(value)}`);
      return Array<string>(times).fill(text.join("&")).join("&");
    });

/** Generates forms: complete or not, encoded or not, with fields that are repeated, unknown, too many or too large. */
export const hostileForm = (service: Service): fc.Arbitrary<string> => {
  const values = operationExamples(service).flatMap(({ operation: { endpoint } }) =>
    endpoint.form ? [fieldValues(endpoint.form, requestExampleOf(endpoint).form)] : [],
  );
  return weighted<string>(
    [9, joined(fieldsOf(values.length > 0 ? values : [{}]))],
    [1, fc.integer({ min: 990, max: 1_010 }).map((count) => "a=1&".repeat(count))],
    [1, fc.integer({ min: 16_380, max: 16_390 }).map((size) => "a=".padEnd(size, "x"))],
    [1, hostileText],
  );
};

/** Generates JSON, or strings that look like JSON. */
export const hostileJson = (service: Service): fc.Arbitrary<string> =>
  weighted<string>(
    [15, fieldsOf(jsonBodyValues(service)).map((value) => JSON.stringify(value))],
    [1, fc.jsonValue().map((value) => JSON.stringify(value))],
    [1, fc.integer({ min: 1, max: 8_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth))],
    [1, fc.integer({ min: 1, max: 2_000 }).map((depth) => `${'{"ip":'.repeat(depth)}1${"}".repeat(depth)}`)],
    [1, hostileText.map((text) => `{"ip":"1.2.3.4","ip":${JSON.stringify(text)}}`)],
    [1, hostileText],
  );

const leaves = /"(?:[^"\\]|\\.)*"(?!:)|-?\d[\d.]*|\b(?:true|false|null)\b/g;
const memberNames = /"(?:[^"\\]|\\.)*":/g;

/** JSON texts that take the place of a value. */
const hostileParts = weighted<string>(
  [3, fc.constantFrom("null", "{}", "[]", '""', "[null]", '{"__proto__":{"a":1}}', '{"constructor":{"prototype":1}}')],
  [3, fc.constantFrom("9007199254740993", "1e400", "-0", "1.0", "0.1000000000000000055", "-1e-400", '"\\ud800"')],
  [2, hostileText.map((text) => JSON.stringify(text))],
  [1, fc.integer({ min: 14, max: 2_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth))],
  [1, fc.integer({ min: 1, max: 20_000 }).map((count) => `[${"{},".repeat(count)}{}]`)],
  [1, fc.integer({ min: 32_000, max: 300_000 }).map((size) => `"${"x".repeat(size)}"`)],
);

/** Generates JSON bodies for endpoints: their examples with one value replaced, or with one member sent twice. */
export const hostileMembers = (service: Service): fc.Arbitrary<string> => {
  const bodies = operationExamples(service).map(({ request: { json = {} } }) => JSON.stringify(json));
  const changed = fc.tuple(fc.constantFrom(...bodies), fc.nat(), hostileParts, fc.boolean());
  return weighted<string>(
    [
      9,
      changed.map(([body, place, part, isTwice]) => {
        const matches = [...body.matchAll(isTwice ? memberNames : leaves)];
        const { index = 0, 0: found = "" } = matches[place % matches.length] ?? {};
        const replacement = isTwice ? `${found}${part},${found}` : part;
        return body.slice(0, index) + replacement + body.slice(index + found.length);
      }),
    ],
    [1, hostileText],
  );
};

/** Generates invocations of the admin function. */
export const hostilePayload = (service: Service): fc.Arbitrary<unknown> => {
  const all = actionValues(service);
  return weighted<unknown>(
    [
      10,
      fc.constantFrom(...all).chain(([action, values]) => fieldsOf([values]).map((fields) => ({ ...fields, action }))),
    ],
    [2, fc.tuple(fieldsOf([...all.values()]), hostileText).map(([fields, action]) => ({ ...fields, action }))],
    [1, fc.jsonValue()],
    [1, fc.record({ routeKey: fc.jsonValue(), requestContext: fc.jsonValue(), headers: fc.jsonValue() })],
  );
};

export const hostileQuery = (service: Service): fc.Arbitrary<string> => {
  const values = operationExamples(service).flatMap(({ operation: { endpoint } }) =>
    endpoint.query ? [fieldValues(endpoint.query, requestExampleOf(endpoint).query)] : [],
  );
  return joined(fieldsOf([...values, ...actionValues(service).values()]));
};
