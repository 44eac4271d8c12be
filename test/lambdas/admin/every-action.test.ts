import { expect, test } from "vitest";
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

/** Values that every action rejects, by their field and the message. */
const refused: [field: string, message: string, values: unknown[]][] = [
  // A token in place of its id would appear in the log.
  ["token_id", notAnId, [newToken().text, "", "x".repeat(26)]],
  ["ip", "must be one address, not a CIDR range.", ["203.0.113.0/24"]],
  ["ip", "must be a string.", [7]],
  ["comment", "must not contain control characters.", ["a\nb"]],
  ["comment", "must be 0 to 255 characters.", ["c".repeat(256)]],
  ["comment", "must be a string.", [null]],
  ["expires_at", "must be in the future.", ["2020-01-01T00:00:00Z"]],
  ["expires_at", notATime, ["tomorrow", "2099-02-30T00:00:00Z"]],
  ["client", "must be 1 to 64 letters, digits, hyphens or underscores.", ["", " ", "ACME ", "ACME\n", "АCME", "ＡCME"]],
  ["client", "must be 1 to 64 letters, digits, hyphens or underscores.", ["A\u200bCME", "*", "x".repeat(65)]],
  ["client", "must be a string.", [["ACME"], { S: "ACME" }]],
  ["rate_limit", wholeNumber(1, 100_000), [0, 100_001, 1.5]],
  ["rate_limit", "must be a number.", ["60", [60]]],
  ["grace_seconds", wholeNumber(0, 604_800), [-1, 0.5, 604_801]],
  ["grace_seconds", "must be a number.", ["60"]],
  ["grace_seconds", "field is required.", [undefined]],
  ["valid_seconds", wholeNumber(300, 604_800), [299, 604_801]],
  ["hours", wholeNumber(1, 168), [0, 169, 1.5]],
  ["limit", wholeNumber(1, 1000), [0, 1_001, 1.5]],
  ["kind", `must be one of ${changeKinds.join(", ")}.`, ["renamed"]],
  ["cursor", "is not one that this service returned. Start again without it.", ["!"]],
  // No path could carry these.
  ["key_id", "must not contain a percent sign.", ["100%"]],
  ["key_id", "must not contain a question mark.", ["a?b"]],
  ["key_id", "must not be one or two dots.", [".."]],
];

test.for(refused)("every action with the field %s rejects a value that %s", async ([field, problem, values]) => {
  for (const payload of withField(field)) {
    if (field === "key_id" && payload.action === "history") continue;
    for (const value of values) {
      const refusal = { code: "validation_failed", message: `The ${field} ${problem}` };
      expect(await refusalOf({ ...payload, [field]: value }), `${payload.action} ${value}`).toEqual(refusal);
    }
  }
});

test.for(actionExamples(api))("the action $name rejects an unknown field", async ({ payload }) => {
  expect((await refusalOf({ ...payload, more: 1 })).message).toBe("The more field is not known.");
});

test.for(withField("token_id"))("the action $action rejects an unknown token id", async (payload) => {
  const message = "There is no token with this token_id.";
  expect(await refusalOf({ ...payload, token_id: absentId() })).toEqual({ code: "token_not_found", message });
});

test.for(["update", "dismiss_leak", "restore_leak", "rotate"])(
  "the action %s changes only active tokens",
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
      const message = expect.stringContaining(`this one is ${state}`);
      expect(await refusalOf({ ...payload, token_id })).toEqual({ code: "token_not_active", message });
      expect(await admin.store().list({ limit: 1_000 })).toEqual(before);
    }
  },
);

const oneOf = `The action must be one of ${Object.keys(actions).toSorted().join(", ")}.`;
const names: unknown[] = [undefined, null, "delete", "toString", "__proto__", 7, {}, { toString: 1 }, ["issue"]];

test.for<[unknown, string]>([
  [null, "The input must be an object."],
  ...names.map((action): [unknown, string] => [{ action }, oneOf]),
])("rejects an invocation that names no action: %j", async ([payload, message]) => {
  expect(await refusalOf(payload)).toEqual({ code: "validation_failed", message });
});

test("rejects an invocation and lists all its invalid fields at once", async () => {
  const { message } = await refusalOf({ action: "issue", expires_at: "2020-01-01T00:00:00Z", more: 1 });
  for (const part of ["The ip field is required.", "The expires_at must be in the future.", "The more field is"])
    expect(message).toContain(part);
});

test("checks an address in its canonical form, and reveals an admin's own address only over HTTP", async () => {
  const address = await admin.invoke({ action: "address", ip: "::ffff:198.51.100.7" });
  expect(address).toEqual({ ip: "198.51.100.7", seen_ip: null });
});
