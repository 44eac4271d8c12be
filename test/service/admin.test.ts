import { beforeAll, describe, expect, test } from "vitest";
import * as actions from "../../lambdas/admin/actions.ts";
import { sharedService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const issue = (fields: object = {}) => service.admin({ action: "issue", ip: "198.51.100.7", ...fields });

describe("issue", () => {
  test("returns the token's record, and its text only this once", async () => {
    const answer = await issue({ comment: "billing sync", expires_at: "2999-01-01T01:00:00+01:00" });

    expect(answer).toEqual({
      token_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      ip: "198.51.100.7",
      comment: "billing sync",
      state: "active",
      issued_at: time,
      issued_by: expect.stringMatching(/^invoke:\S+$/),
      expires_at: "2999-01-01T00:00:00.000Z",
      invitation: null,
      request: null,
      predecessor_id: null,
      rotated_at: null,
      rotated_by: null,
      successor_id: null,
      revoked_at: null,
      revoked_by: null,
      last_used_at: null,
      rate_limit: null,
      updated_at: null,
      updated_by: null,
      dismissed_addresses: [],
      token: expect.stringMatching(/^itk_[0-9A-Z]{26}_[0-9A-Za-z]{49}$/),
    });
    const { token, ...record } = answer;
    expect(await service.admin({ action: "get", token_id: answer.token_id })).toEqual(record);
  });

  test("binds the token to the canonical form of the address", async () => {
    expect(await issue({ ip: "2001:0DB8::0:1" })).toMatchObject({ ip: "2001:db8::1" });
    expect(await issue({ ip: "::ffff:c633:6407" })).toMatchObject({ ip: "198.51.100.7" });
  });

  test.each([
    ["example.org", "not a host name"],
    ["198.51.100.7:443", "port"],
    ["[2001:db8::1]:443", "port"],
    ["198.51.100.0/24", "CIDR"],
    ["fe80::1%eth0", "zone"],
    ["198.51.100.007", "leading zeros"],
    ["0.0.0.0", "unspecified"],
    ["::", "unspecified"],
    ["224.0.0.1", "multicast"],
    ["ff02::1", "multicast"],
    ["", "IPv4 or IPv6"],
  ])("refuses the address %j and says why", async (ip, reason) => {
    await expect(issue({ ip })).rejects.toMatchObject({
      errorType: "validation_failed",
      errorMessage: expect.stringMatching(new RegExp(`^The ip must .*${reason}`)),
    });
  });
});

const oneOfTheActions = `The action must be one of ${Object.keys(actions).toSorted().join(", ")}.`;

describe("a refused request", () => {
  test.each([
    ["nothing", null, "The input must be an object."],
    ["no action", {}, oneOfTheActions],
    ["an unknown action", { action: "drop" }, oneOfTheActions],
    ["a name that every object has", { action: "constructor" }, oneOfTheActions],
    ["a missing field", { action: "issue" }, "The ip field is required."],
    [
      "an unknown field",
      { action: "issue", ip: "198.51.100.7", expire_at: "2999-01-01T00:00:00Z" },
      "The expire_at field is not known.",
    ],
    [
      "a time in the past",
      { action: "issue", ip: "198.51.100.7", expires_at: "2020-01-01T00:00:00Z" },
      "The expires_at must be in the future.",
    ],
    [
      "an invalid time",
      { action: "issue", ip: "198.51.100.7", expires_at: "tomorrow" },
      "The expires_at must be a time such as 2027-01-01T00:00:00Z.",
    ],
    [
      "too long a grace",
      { action: "rotate", token_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", grace_seconds: 604_801 },
      "The grace_seconds must be a whole number from 0 to 604800.",
    ],
    [
      "a token in place of its id",
      { action: "get", token_id: `itk_01ARZ3NDEKTSV4RRFFQ69G5FAV_${"x".repeat(49)}` },
      "The token_id must be the id of a token, 26 characters, and not the token itself.",
    ],
    ["no grace", { action: "rotate", token_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }, "The grace_seconds field is required."],
  ])("is a function error that says what is wrong: %s", async (_, payload, errorMessage) => {
    await expect(service.admin(payload)).rejects.toMatchObject({ errorType: "validation_failed", errorMessage });
  });

  test.each([
    ["get", {}],
    ["revoke", {}],
    ["rotate", { grace_seconds: 0 }],
  ])("the action %s on a missing token says that there is none", async (action, fields) => {
    await expect(service.admin({ action, token_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", ...fields })).rejects.toMatchObject({
      errorType: "token_not_found",
    });
  });
});

describe("rotate", () => {
  test("returns a successor for the same address and ends the old token after the grace", async () => {
    const { token_id } = await issue({ comment: "billing sync" });
    const successor = await service.admin({ action: "rotate", token_id, grace_seconds: 3600 });
    const old = await service.admin({ action: "get", token_id });

    expect(successor).toMatchObject({
      ip: "198.51.100.7",
      comment: "billing sync",
      state: "active",
      predecessor_id: token_id,
    });
    expect(old).toMatchObject({ state: "active", successor_id: successor.token_id, rotated_at: time });
    expect(Date.parse(String(old.expires_at)) - Date.parse(String(old.rotated_at))).toBe(3_600_000);
  });

  test("never extends the life of the old token", async () => {
    const { token_id, expires_at } = await issue({ expires_at: new Date(Date.now() + 60_000).toISOString() });
    await service.admin({ action: "rotate", token_id, grace_seconds: 604_800 });

    expect(await service.admin({ action: "get", token_id })).toMatchObject({ expires_at });
  });

  test("refuses a token that has ended or was already rotated", async () => {
    const { token_id } = await issue();
    const { token_id: successor_id } = await service.admin({ action: "rotate", token_id, grace_seconds: 60 });
    await expect(service.admin({ action: "rotate", token_id, grace_seconds: 60 })).rejects.toMatchObject({
      errorType: "token_already_rotated",
      errorMessage: expect.stringContaining(String(successor_id)),
    });

    await service.admin({ action: "revoke", token_id });
    await expect(service.admin({ action: "rotate", token_id, grace_seconds: 60 })).rejects.toMatchObject({
      errorType: "token_not_active",
      errorMessage: expect.stringContaining("revoked"),
    });
  });

  test("gives only one of two simultaneous admins a successor", async () => {
    const { token_id } = await issue();
    const rotate = () => service.admin({ action: "rotate", token_id, grace_seconds: 60 });
    const outcomes = await Promise.allSettled([rotate(), rotate(), rotate()]);

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
  });
});

describe("revoke", () => {
  test("ends a token at once and can be repeated", async () => {
    const { token_id } = await issue();
    const revoked = await service.admin({ action: "revoke", token_id });

    expect(revoked).toMatchObject({
      state: "revoked",
      revoked_at: time,
      revoked_by: expect.stringMatching(/^invoke:/),
    });
    expect(await service.admin({ action: "revoke", token_id })).toEqual(revoked);
  });
});

test("a token that is sent instead of its id is not in the log", async () => {
  const { token } = await issue();
  await expect(service.admin({ action: "revoke", token_id: token })).rejects.toMatchObject({
    errorType: "validation_failed",
  });

  expect(service.logged()).not.toContain(String(token));
});

describe("list", () => {
  test("returns every token exactly once, without secrets", async () => {
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await service.admin({ action: "list", limit: 3, ...(cursor ? { cursor } : {}) });
      expect(JSON.stringify(page)).not.toMatch(/itk_|secret/);
      for (const { token_id } of page.tokens as { token_id: string }[]) seen.push(token_id);
      cursor = page.next_cursor;
    } while (cursor);

    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(3);
  });
});
