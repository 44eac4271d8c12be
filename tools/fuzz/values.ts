import fc from "fast-check";
import * as z from "zod/mini";
import * as actions from "../../lambdas/admin/actions.ts";
import { type Action, adminRoute } from "../../lambdas/declaration/action.ts";
import type { ObjectSchema } from "../../lambdas/declaration/endpoint.ts";
import * as tables from "../../lambdas/resources/tables.ts";
import { exampleRequest } from "../../lambdas/resources/tokens/tokens-table.ts";
import { operationExamples } from "../support/examples.ts";
import { secretMark, tokenNames } from "./case.ts";

/** Texts without spaces that have broken programs before. */
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

/** Any code point except a surrogate. Preparing fast-check's own unit for this takes most of a second in each process. */
const anyCodePoint = fc
  .integer({ min: 0, max: 0x10_ff_ff - 0x8_00 })
  .map((place) => String.fromCodePoint(place < 0xd8_00 ? place : place + 0x8_00));

const loneSurrogates = fc
  .array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units));

export const weighted = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Long texts are rare, because they are slow to generate. */
const repeated = fc
  .tuple(
    fc.constantFrom("a", "%41", "\0", "😀", "%", "[", "{", ",", ";", '"', "&a=1", "a[b]", "../", "\r\n", "é"),
    weighted([20, fc.integer({ min: 1, max: 300 })], [1, fc.integer({ min: 1_000, max: 20_000 })]),
  )
  .map(([text, times]) => text.repeat(times));

/** Any text, with the notorious ones more often. */
export const hostileText: fc.Arbitrary<string> = weighted<string>(
  [6, fc.constantFrom(...notorious)],
  [3, fc.string({ unit: anyCodePoint, maxLength: 80 })],
  [2, fc.string({ maxLength: 80 })],
  [1, loneSurrogates],
  [1, repeated],
  [2, fc.tuple(fc.constantFrom(...notorious), fc.string({ maxLength: 10 })).map((parts) => parts.join(""))],
);

/** A text with about the 64 code points that a v_code must have. The log must never show it. */
const secretText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...notorious, "v", "ü", "x"),
    fc.constantFrom("v", "😀", "é", "\u0301", " "),
    fc.constantFrom(64, 64, 64, 64, 63, 65, 0, 255),
  )
  .map(([start, filler, length]) => [...(secretMark + start), ...Array(length).fill(filler)].slice(0, length).join(""));

/** Plausible values of a field: those of an input that mostly passes validation. */
type FieldValues = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const { key_id: exampleKeyId, v_code: exampleVCode } = tables.keys.example;
const { token_id: exampleTokenId } = tables.tokens.example;

/** The replacement for a value of an example, so that it refers to existing records, and a secret can be recognised. */
const substitutes = new Map<unknown, fc.Arbitrary<unknown>>([
  [exampleTokenId, fc.constantFrom(...tokenNames.map((name) => `<<${name}:id>>`), exampleTokenId, "<<active>>")],
  [exampleKeyId, fc.constantFrom(exampleKeyId, "another", "a/b", "a%2Fb", "a?b", "a+b", "a//b/", "..")],
  [exampleVCode, secretText],
]);

/** Values worth trying that cannot be derived from a schema. */
const hints: FieldValues = {
  ip: fc.constantFrom("203.0.113.1", exampleRequest.ip, "2001:DB8::1", "::ffff:203.0.113.2", "0.0.0.0", "10.0.0.0/8"),
  expires_at: fc.constantFrom(null, "2999-01-01T00:00:00Z", "9999-12-31T23:59:59+14:00", "2000-01-01T00:00:00Z"),
  code: fc.constantFrom("K7P4XQ", "k7p-4xq", "AAA-AAA", "K7P-4X", "-", ""),
  cursor: fc.constantFrom("MTIzNDU2Nw", ""),
};

/** The part of a JSON Schema that values are derived from. */
const jsonSchema = z.object({
  type: z.optional(z.string()),
  default: z.optional(z.unknown()),
  examples: z.optional(z.array(z.unknown())),
  enum: z.optional(z.array(z.unknown())),
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  minLength: z.optional(z.number()),
  maxLength: z.optional(z.number()),
  anyOf: z.optional(z.array(z.unknown())),
});

/** The values that a schema names, and those at and just beyond its bounds. */
const valuesOf = (schema: unknown): unknown[] => {
  const { type, examples = [], enum: members = [], anyOf = [], ...rest } = z.parse(jsonSchema, schema);
  const bounds = [rest.minimum, rest.maximum].filter((bound) => bound !== undefined);
  const lengths = [rest.minLength, rest.maxLength].filter((length) => length !== undefined);
  return [
    ...("default" in rest ? [rest.default] : []),
    ...examples,
    ...members,
    ...bounds.flatMap((bound) => [bound - 1, bound, bound + 1, String(bound)]),
    ...lengths.flatMap((length) => ["x".repeat(length), "ü".repeat(length), "x".repeat(length + 1)]),
    ...(type === "null" ? [null] : []),
    ...(type === "boolean" ? [true, false] : []),
    ...anyOf.flatMap(valuesOf),
  ];
};

const fieldValues = (schema: ObjectSchema, example: Readonly<Record<string, unknown>>): FieldValues => {
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

const actionList: [string, Action][] = Object.entries(actions);
const actionValues = new Map(
  actionList.map(([name, { input, example }]) => [name, fieldValues(input, Object(example))]),
);
const endpoints = operationExamples().map(({ operation }) => operation.endpoint);
const formValues = endpoints.flatMap(({ form, example }) => (form ? [fieldValues(form, example.form ?? {})] : []));
const queryValues = [
  ...endpoints.flatMap(({ query, example }) => (query ? [fieldValues(query, example.query ?? {})] : [])),
  ...actionValues.values(),
];
const jsonBodyValues = actionList.flatMap(([name, { contract }]) => {
  const { method, path } = adminRoute(contract);
  const inBody = Object.entries(actionValues.get(name) ?? {}).filter(([field]) => !path.includes(`{${field}}`));
  return method === "POST" || method === "PUT" ? [Object.fromEntries(inBody)] : [];
});

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

const joined = (pairs: readonly (readonly [string, string])[]): string => pairs.map((pair) => pair.join("=")).join("&");

/** Each field of one of the inputs, with a value that `choose` makes of the usual ones. */
const inputOf = <T>(
  inputs: readonly FieldValues[],
  choose: (usual: fc.Arbitrary<unknown>) => fc.Arbitrary<T>,
): fc.Arbitrary<[string, T][]> =>
  fc
    .constantFrom(...inputs)
    .chain((values) =>
      fc.tuple(
        ...Object.entries(values).map(([name, usual]) => choose(usual).map((value): [string, T] => [name, value])),
      ),
    );

const formFields = formValues.flatMap((values) => Object.keys(values));
const strangeField = weighted<string>(
  [4, fc.constantFrom(...formFields)],
  [1, fc.tuple(fc.constantFrom(...formFields), fc.constantFrom("[]", "[a]", " ", ".a")).map((parts) => parts.join(""))],
  [1, fc.constantFrom("__proto__", "__proto__[a]", "KEY_ID", "")],
  [1, hostileText],
);

/** Forms: complete or not, encoded or not, with fields that are repeated, unknown, too many or too large. */
export const hostileForm: fc.Arbitrary<string> = weighted<string>(
  [4, inputOf(formValues, (usual) => weighted([2, usual.map(String)], [1, hostileText]).map(encode)).map(joined)],
  [2, inputOf(formValues, () => fc.oneof(secretText, hostileText)).map(joined)],
  [
    3,
    fc
      .array(fc.tuple(strangeField, fc.oneof(secretText, hostileText, hostileText.map(encode))), { maxLength: 6 })
      .map(joined),
  ],
  [1, fc.integer({ min: 990, max: 1_010 }).map((count) => "a=1&".repeat(count))],
  [1, fc.integer({ min: 16_380, max: 16_390 }).map((size) => "a=".padEnd(size, "x"))],
  [1, hostileText],
);

const hostileValue = weighted<unknown>(
  [4, hostileText],
  [1, fc.jsonValue({ maxDepth: 3 })],
  [1, fc.constantFrom(null, true, 0, -1, 1.5, 1e308, 604_800, 604_801, [], {}, [["a"]])],
);

/** The fields of an action, most of them valid. */
const fieldsOf = (inputs: readonly FieldValues[]) =>
  inputOf(inputs, (usual) => weighted<unknown>([12, usual], [2, hostileValue])).map((pairs) =>
    Object.fromEntries(pairs),
  );

/** Some fields of any actions. */
const someFields = fc
  .array(
    weighted<[string, unknown]>(
      [
        8,
        fc
          .constantFrom(...[...actionValues.values()].flatMap(Object.entries<fc.Arbitrary<unknown>>))
          .chain(([name, usual]) =>
            weighted<unknown>([5, usual], [1, hostileValue]).map((value): [string, unknown] => [name, value]),
          ),
      ],
      [1, fc.tuple(hostileText, hostileValue)],
    ),
    { maxLength: 4 },
  )
  .map((pairs) => Object.fromEntries(pairs));

/** JSON, or text that looks like it. */
export const hostileJson: fc.Arbitrary<string> = weighted<string>(
  [12, fieldsOf(jsonBodyValues).map((value) => JSON.stringify(value))],
  [3, someFields.map((value) => JSON.stringify(value))],
  [1, fc.jsonValue().map((value) => JSON.stringify(value))],
  [1, fc.integer({ min: 1, max: 8_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth))],
  [1, fc.integer({ min: 1, max: 2_000 }).map((depth) => `${'{"ip":'.repeat(depth)}1${"}".repeat(depth)}`)],
  [1, hostileText.map((text) => `{"ip":"1.2.3.4","ip":${JSON.stringify(text)}}`)],
  [1, hostileText],
);

const actionName = fc.constantFrom(...actionValues.keys());

/** Invocations of the admin function. */
export const hostilePayload: fc.Arbitrary<unknown> = weighted<unknown>(
  [8, actionName.chain((action) => fieldsOf([actionValues.get(action) ?? {}]).map((rest) => ({ ...rest, action })))],
  [4, fc.tuple(weighted([9, actionName], [1, hostileText]), someFields).map(([action, rest]) => ({ ...rest, action }))],
  [1, fc.jsonValue()],
  [1, fc.record({ routeKey: fc.jsonValue(), requestContext: fc.jsonValue(), headers: fc.jsonValue() })],
);

const parameter = weighted<(string | undefined)[]>(
  [
    4,
    fc
      .constantFrom(...queryValues.flatMap((values) => Object.entries(values)))
      .chain(([name, value]) =>
        fc
          .oneof(value.map(String), fc.constantFrom("1", "1001", "MTIzNDU2N", "gA", "____"))
          .map((text) => [name, text]),
      ),
  ],
  [1, fc.tuple(hostileText, hostileText)],
);

export const hostileQuery = fc
  .array(parameter, { maxLength: 4 })
  .map((pairs) => pairs.map((pair) => pair.join("=")).join("&"));
