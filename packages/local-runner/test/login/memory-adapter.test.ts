import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMemoryAdapter } from "../../src/login/login.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("an entry is found by its id and by its uid until it expires", async () => {
  const sessions = createMemoryAdapter()("Session");
  await sessions.upsert("a", { uid: "u", accountId: "alice" }, 60);

  vi.advanceTimersByTime(59_999);
  expect(await sessions.find("a")).toMatchObject({ accountId: "alice" });
  expect(await sessions.findByUid("u")).toMatchObject({ accountId: "alice" });
  vi.advanceTimersByTime(1);
  expect(await sessions.find("a")).toBeUndefined();
  expect(await sessions.findByUid("u")).toBeUndefined();
});

test("an expired code cannot be consumed", async () => {
  const codes = createMemoryAdapter()("AuthorizationCode");
  const payload = { grantId: "g" };
  await codes.upsert("a", payload, 60);
  vi.advanceTimersByTime(60_000);
  await codes.consume("a");

  expect(payload).not.toHaveProperty("consumed");
});

test("an entry without a lifetime does not expire", async () => {
  const grants = createMemoryAdapter()("Grant");
  await grants.upsert("a", { accountId: "alice" });
  vi.advanceTimersByTime(365 * 86_400_000);

  expect(await grants.find("a")).toMatchObject({ accountId: "alice" });
});

test("entries of other models are not found, and a grant's entries end with it", async () => {
  const adapterOf = createMemoryAdapter();
  const [sessions, codes] = [adapterOf("Session"), adapterOf("AuthorizationCode")];
  await sessions.upsert("a", { uid: "u", grantId: "other" }, 60);
  await codes.upsert("b", { grantId: "g" }, 60);

  expect(await codes.find("a")).toBeUndefined();
  expect(await codes.findByUid("u")).toBeUndefined();
  await codes.revokeByGrantId("g");
  expect(await codes.find("b")).toBeUndefined();
  expect(await sessions.find("a")).toBeDefined();
});
