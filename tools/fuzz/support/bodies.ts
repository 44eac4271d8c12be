import fc from "fast-check";
import type { InvokeCase } from "./case.ts";
import { actionValues, type FieldValues, formValues, jsonBodyValues } from "./field-values.ts";
import { hostileText, secretText } from "./hostile-text.ts";

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

const fieldName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...formValues.flatMap((values) => Object.keys(values))) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...formValues.flatMap((values) => Object.keys(values))),
        fc.constantFrom("[]", "[a]", " ", ".a"),
      )
      .map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "__proto__[a]", "KEY_ID", "") },
  { weight: 1, arbitrary: hostileText },
);

/** A form with each field of an endpoint. The value of each field comes from `textOf`. */
const wholeForm = (textOf: (usual: fc.Arbitrary<unknown>) => fc.Arbitrary<string>): fc.Arbitrary<[string, string][]> =>
  fc
    .constantFrom(...formValues)
    .chain((values) =>
      fc.tuple(
        ...Object.entries(values).map(([name, usual]) => textOf(usual).map((value): [string, string] => [name, value])),
      ),
    );

const joined = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([name, value]) => `${name}=${value}`).join("&");

/** Forms: complete or truncated, encoded or not, with fields that are repeated, too many, too deep or too large. */
export const hostileForm: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: wholeForm((usual) =>
      fc.oneof({ weight: 2, arbitrary: usual.map(String) }, { weight: 1, arbitrary: hostileText }).map(encode),
    ).map(joined),
  },
  { weight: 2, arbitrary: wholeForm(() => fc.oneof(secretText, hostileText)).map(joined) },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.tuple(fieldName, fc.oneof(secretText, hostileText), fc.boolean()), { maxLength: 6 })
      .map((fields) => fields.map(([name, value, raw]) => `${name}=${raw ? value : encode(value)}`).join("&")),
  },
  { weight: 1, arbitrary: fc.integer({ min: 990, max: 1_010 }).map((count) => "a=1&".repeat(count)) },
  { weight: 1, arbitrary: fc.integer({ min: 16_380, max: 16_390 }).map((size) => "a=".padEnd(size, "x")) },
  { weight: 1, arbitrary: hostileText },
);

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(null, true, 0, -1, 1.5, 1e308, 604_800, 604_801, [], {}, [["a"]]) },
);

const usualFields = Object.values(actionValues).flatMap((values) => Object.entries(values));

const field = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .constantFrom(...usualFields)
      .chain(([name, usual]) =>
        fc
          .oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: hostileValue })
          .map((value): [string, unknown] => [name, value]),
      ),
  },
  { weight: 1, arbitrary: fc.tuple(hostileText, hostileValue) },
);

const fields = fc.array(field, { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));

/** The fields of an action, most of them valid. */
const fieldsOf = (values: FieldValues): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      ...Object.entries(values).map(([name, usual]) =>
        fc
          .oneof(
            { weight: 12, arbitrary: usual },
            { weight: 1, arbitrary: hostileValue },
            { weight: 1, arbitrary: hostileText },
          )
          .map((value): [string, unknown] => [name, value]),
      ),
    )
    .map((pairs) => Object.fromEntries(pairs));

/** JSON, or text that looks like it. */
export const hostileJson: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .constantFrom(...jsonBodyValues)
      .chain(fieldsOf)
      .map((value) => JSON.stringify(value)),
  },
  { weight: 3, arbitrary: fields.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 8_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 2_000 })
      .map((depth) => [...Array(depth).fill('{"ip":'), 1, ...Array(depth).fill("}")].join("")),
  },
  { weight: 1, arbitrary: hostileText.map((text) => `{"ip":"1.2.3.4","ip":${JSON.stringify(text)}}`) },
  { weight: 1, arbitrary: hostileText },
);

/** Invocations of the admin function. */
export const invokeCase: fc.Arbitrary<InvokeCase> = fc
  .oneof(
    {
      weight: 8,
      arbitrary: fc
        .constantFrom(...Object.entries(actionValues))
        .chain(([action, values]) => fieldsOf(values).map((rest) => ({ ...rest, action }))),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.oneof(
            { weight: 9, arbitrary: fc.constantFrom(...Object.keys(actionValues)) },
            { weight: 1, arbitrary: hostileText },
          ),
          fields,
        )
        .map(([action, rest]) => ({ ...rest, action })),
    },
    { weight: 1, arbitrary: fc.jsonValue() },
    {
      weight: 1,
      arbitrary: fc.record({ routeKey: fc.jsonValue(), requestContext: fc.jsonValue(), headers: fc.jsonValue() }),
    },
  )
  .map((payload) => ({ kind: "invoke", payload }));
