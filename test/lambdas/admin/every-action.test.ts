import { describe, expect, test } from "vitest";
import * as actions from "../../../lambdas/admin/actions.ts";
import { api } from "../../../lambdas/api.ts";
import { changeKinds } from "../../../lambdas/domain/history/change-kinds.ts";
import { type ActionExample, actionExamples } from "../../kit/support/examples.ts";
import { absentId, newToken } from "../../kit/support/tokens.ts";
import { useAdmin } from "../support/admin.ts";
import { apiErrorOf } from "../support/outcomes.ts";
import { recordIn } from "../support/stores.ts";

const admin = useAdmin();
const declared: Readonly<Record<string, { input: { shape: object } }>> = actions;

/** Returns the example payloads of the actions whose input has this field. */
const withField = (field: string): ActionExample["payload"][] =>
  actionExamples(api).flatMap(({ name, payload }) => (field in (declared[name]?.input.shape ?? {}) ? [payload] : []));

const refusalOf = async (payload: unknown) => {
  const { code, message } = await apiErrorOf(admin.invoke(payload));
  return { code, message };
};

const wholeNumber = (from: number, to: number) => `must be a whole number from ${from} to ${to}.`;
const notAnId = "must be the id of a token, 26 characters, and not the token itself.";
const notATime = "must be a time such as 2027-01-01T00:00:00Z.";

/** Values that every action rejects in a field, with the messages. */
const refused: Record<string, [value: unknown, message: string][]> = {
  // A token in place of its id would appear in the log.
  token_id: [newToken().text, "", "x".repeat(26)].map((value) => [value, notAnId]),
  ip: [
    ["203.0.113.0/24", "must be one address, not a CIDR range."],
    [7, "must be a string."],
  ],
  comment: [
    ["a\nb", "must not contain control characters."],
    ["c".repeat(256), "must be 0 to 255 characters."],
    [null, "must be a string."],
  ],
  expires_at: [
    ["2020-01-01T00:00:00Z", "must be in the future."],
    ["tomorrow", notATime],
    ["2099-02-30T00:00:00Z", notATime],
  ],
  rate_limit: [
    ...[0, 100_001, 1.5].map((value): [number, string] => [value, wholeNumber(1, 100_000)]),
    ["60", "must be a number."],
    [[60], "must be sent once."],
  ],
  grace_seconds: [
    ...[-1, 0.5, 604_801].map((value): [number, string] => [value, wholeNumber(0, 604_800)]),
    ["60", "must be a number."],
    [undefined, "field is required."],
  ],
  valid_seconds: [299, 604_801].map((value) => [value, wholeNumber(300, 604_800)]),
  hours: [0, 169, 1.5].map((value) => [value, wholeNumber(1, 168)]),
  limit: [0, 1_001, 1.5].map((value) => [value, wholeNumber(1, 1000)]),
  kind: [["renamed", `must be one of ${changeKinds.join(", ")}.`]],
  cursor: [["!", "is not one that this service returned. Start again without it."]],
};

/** No path could carry these. */
const refusedKeyIds: [string, string][] = [
  ["100%", "must not contain a percent sign."],
  ["a?b", "must not contain a question mark."],
  ["..", "must not be one or two dots."],
];

describe.each([...Object.entries(refused), ["key_id", refusedKeyIds] as const])("the field %s", (field, cases) => {
  const payloads = withField(field).filter(({ action }) => field !== "key_id" || action !== "history");
  test.for(payloads)("has the same rules in the action $action", async (payload) => {
    for (const [value, message] of cases) {
      const refusal = { code: "validation_failed", message: `The ${field} ${message}` };
      expect(await refusalOf({ ...payload, [field]: value }), String(value)).toEqual(refusal);
    }
  });
});

test.for(actionExamples(api))("every action rejects an unknown field: $name", async ({ payload }) => {
  expect((await refusalOf({ ...payload, more: 1 })).message).toBe("The more field is not known.");
});

test.for(withField("token_id"))("every action reports an unknown token id: $action", async (payload) => {
  const message = "There is no token with this token_id.";
  expect(await refusalOf({ ...payload, token_id: absentId() })).toEqual({ code: "token_not_found", message });
});

test.for(["update", "dismiss_leak", "restore_leak", "rotate"])(
  "every action that changes a token accepts only active tokens, and otherwise changes nothing: %s",
  async (action) => {
    const payload = actionExamples(api).find(({ name }) => name === action)?.payload;
    for (const [phase, state] of [
      ["expired", "expired"],
      ["replaced", "expired"],
      ["revoked", "revoked"],
      ["invited", "invited"],
      ["awaiting_confirmation", "awaiting confirmation"],
    ] as const) {
      const { token_id } = await admin.stored(recordIn(phase));
      const before = await admin.store().list({ limit: 1_000 });
      const { code, message } = await refusalOf({ ...payload, token_id });
      expect({ code, message }).toEqual({
        code: "token_not_active",
        message: expect.stringContaining(`this one is ${state}`),
      });
      expect(await admin.store().list({ limit: 1_000 })).toEqual(before);
    }
  },
);

const oneOf = `The action must be one of ${Object.keys(actions).toSorted().join(", ")}.`;
const names: unknown[] = [undefined, null, "delete", "toString", "__proto__", 7, {}, { toString: 1 }, ["issue"]];
test.for<[unknown, string]>([
  [null, "The input must be an object."],
  ...names.map((action): [unknown, string] => [{ action }, oneOf]),
])("an invocation is rejected if it does not name an action: %j", async ([payload, message]) => {
  expect(await refusalOf(payload)).toEqual({ code: "validation_failed", message });
});

test("an invocation is rejected with the messages of all its invalid fields at once", async () => {
  const { message } = await refusalOf({ action: "issue", expires_at: "2020-01-01T00:00:00Z", more: 1 });
  for (const part of ["The ip field is required.", "The expires_at must be in the future.", "The more field is"]) {
    expect(message).toContain(part);
  }
});

test("checks an address in its canonical form, and only HTTP shows the admin's own address", async () => {
  const address = await admin.invoke({ action: "address", ip: "::ffff:198.51.100.7" });
  expect(address).toEqual({ ip: "198.51.100.7", seen_ip: null });
});
