import { expect, test } from "vitest";
import { rotate } from "../../../../lambdas/admin/tokens/rotate.ts";
import type { TokenRecord, TokenStore } from "../../../../lambdas/domain/tokens/token-store.ts";
import { ApiError } from "../../../../lambdas/shared/errors/api-error.ts";
import { hourMs, inMs } from "../../../kit/support/tokens.ts";
import { author, noteOf } from "../../../support/authors.ts";
import { useAdmin } from "../../support/admin.ts";
import { apiErrorOf } from "../../support/outcomes.ts";

/* test/lambdas/domain/tokens/succession.test.ts tests what a successor is like, and when its predecessor ends. */

const admin = useAdmin();
const rotateBy = (grace_seconds: number, { token_id }: TokenRecord) =>
  admin.act({ action: "rotate", token_id, grace_seconds }, "rotate-1");

test("returns the successor with its value to the admin, and the old token names both", async () => {
  const old = await admin.stored({ ip: "2001:db8::7", comment: "billing sync", rate_limit: 60 });
  const successor = await rotateBy(60, old);
  expect(successor).toMatchObject({
    ...{ ip: "2001:db8::7", comment: "billing sync", rate_limit: 60, state: "active", expires_at: null },
    token: expect.stringContaining(`itk_${successor.token_id}_`),
    issued_by: "invoke:rotate-1",
    predecessor_id: old.token_id,
  });
  const rotated_at = successor.issued_at;
  const expires_at = new Date(Date.parse(rotated_at) + 60_000).toISOString();
  const by = { rotated_by: "invoke:rotate-1", secret_hash: old.secret_hash };
  expect(await admin.store().find(old.token_id)).toMatchObject({
    ...{ successor_id: successor.token_id, rotated_at, expires_at, ...by },
  });
});

/** Rotates a token that changes after its lookup and before its end. */
const rotateDespite = (old: TokenRecord, happens: () => Promise<unknown>, more: Partial<TokenStore> = {}) => {
  const tokens = admin.store();
  const insert: TokenStore["insert"] = async (record) => {
    await tokens.insert(record, noteOf("issued"));
    await happens();
  };
  const stores = { tokens: { ...tokens, insert, ...more } };
  return rotate.run({ token_id: old.token_id, grace_seconds: 60 }, { author, stores });
};

test.for<[string, string, (old: TokenRecord) => Promise<unknown>, Partial<TokenStore>]>([
  ["another rotation with a grace", "token_already_rotated", (old) => rotateBy(3_600, old), {}],
  ["another rotation without one", "token_not_active", (old) => rotateBy(0, old), {}],
  ["a revocation", "token_not_active", ({ token_id }) => admin.act({ action: "revoke", token_id }), {}],
  ["an edit", "unavailable", ({ token_id }) => admin.act({ action: "update", token_id, expires_at: inMs(hourMs) }), {}],
  [
    "a failure of the database",
    "unavailable",
    async () => {},
    { rotate: () => Promise.reject(new ApiError("unavailable")) },
  ],
])("a rotation that loses to %s is rejected with %s", async ([, code, meanwhile, more]) => {
  const old = await admin.stored();
  const error = await apiErrorOf(rotateDespite(old, () => meanwhile(old), more));
  expect(error.code).toBe(code);
  const { successor_id = "" } = (await admin.store().find(old.token_id)) ?? {};
  if (code === "token_already_rotated") expect(error.message).toContain(successor_id);
});
