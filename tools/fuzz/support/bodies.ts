import fc from "fast-check";
import * as actions from "../../../lambdas/admin/actions.ts";
import { type InvokeCase, tokenNames } from "./case.ts";
import { hostileText, secretText } from "./hostile-text.ts";

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

const fieldName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("key_id", "v_code") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("key_id[]", "key_id[a]", "__proto__", "__proto__[a]", "KEY_ID", "key_id ", ""),
  },
  { weight: 1, arbitrary: hostileText },
);

/** Forms: whole and in pieces, encoded and not, with fields that come twice, too many, too deep or too large. */
export const hostileForm: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(hostileText, secretText).map(([id, code]) => `key_id=${encode(id)}&v_code=${encode(code)}`),
  },
  { weight: 2, arbitrary: fc.tuple(hostileText, secretText).map(([id, code]) => `key_id=${id}&v_code=${code}`) },
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

/** A value that a field may well have, so that what comes after validation is met too. */
const plausible: Record<string, fc.Arbitrary<unknown>> = {
  ip: fc.constantFrom("203.0.113.1", "2001:DB8::1", "::ffff:203.0.113.2", "0.0.0.0", "10.0.0.0/8"),
  comment: fc.constantFrom("", "billing sync", "ü".repeat(255)),
  expires_at: fc.constantFrom(null, "2999-01-01T00:00:00Z", "9999-12-31T23:59:59+14:00", "2000-01-01T00:00:00Z"),
  grace_seconds: fc.constantFrom(0, 1, 604_800),
  limit: fc.constantFrom(1, 1_000, "7"),
  rate_limit: fc.constantFrom(null, 1, 60, 100_000, 100_001, 0, "60"),
  cursor: fc.constantFrom("MTIzNDU2Nw", ""),
  token_id: fc.constantFrom(...tokenNames.map((name) => `<<${name}:id>>`), "01KAK3Y0V9QX8M4N2R7T5W1Y0B", "<<active>>"),
  key_id: fc.constantFrom("1234567", "another", "a/b"),
  v_code: secretText,
};

const field = fc
  .oneof({ weight: 8, arbitrary: fc.constantFrom(...Object.keys(plausible)) }, { weight: 1, arbitrary: hostileText })
  .chain((name) =>
    fc
      .oneof(
        { weight: 5, arbitrary: Object.hasOwn(plausible, name) ? (plausible[name] ?? hostileValue) : hostileValue },
        { weight: 1, arbitrary: hostileValue },
      )
      .map((value): [string, unknown] => [name, value]),
  );

const fields = fc.array(field, { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));

const id = plausible.token_id;
const byAction: Record<string, Record<string, fc.Arbitrary<unknown> | undefined>> = {
  address: { ip: plausible.ip },
  create_key: { key_id: plausible.key_id, v_code: plausible.v_code },
  delete_key: { key_id: plausible.key_id },
  get: { token_id: id },
  get_key: { key_id: plausible.key_id },
  issue: {
    ip: plausible.ip,
    comment: plausible.comment,
    expires_at: plausible.expires_at,
    rate_limit: plausible.rate_limit,
  },
  list: { limit: plausible.limit },
  list_keys: { limit: plausible.limit, cursor: plausible.cursor },
  replace_key: { key_id: plausible.key_id, v_code: plausible.v_code },
  revoke: { token_id: id },
  rotate: { token_id: id, grace_seconds: plausible.grace_seconds },
  update: { token_id: id, rate_limit: plausible.rate_limit },
};

/** The fields of an action, most of them as they should be. */
const actionFields = (action: string): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      ...Object.entries(byAction[action] ?? {}).map(([name, arbitrary = hostileValue]) =>
        fc
          .oneof(
            { weight: 5, arbitrary },
            { weight: 1, arbitrary: hostileValue },
            { weight: 1, arbitrary: hostileText },
          )
          .map((value): [string, unknown] => [name, value]),
      ),
    )
    .map((pairs) => Object.fromEntries(pairs));

/** JSON, or what looks like it. */
export const hostileJson: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .constantFrom("issue", "update", "create_key", "create_key")
      .chain(actionFields)
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
        .constantFrom(...Object.keys(byAction))
        .chain((action) => actionFields(action).map((rest) => ({ ...rest, action }))),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.oneof(
            { weight: 9, arbitrary: fc.constantFrom(...Object.keys(actions)) },
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
  .map((payload) => ({ door: "invoke", payload }));
