import { describe, expect, test } from "vitest";
import {
  type AddressRequest,
  isAddressRequest,
  isCode,
  isConfirmed,
  isRejected,
  isWaiting,
  nextRequest,
} from "../../../../lambdas/resources/tokens/address-request.ts";
import { dayMs } from "../../../../tools/support/tokens.ts";

const quarterMs = 15 * 60 * 1000;
const ip = "203.0.113.50";
const start = "2026-11-21T10:15:30.123Z";
const later = (milliseconds: number): string => new Date(Date.parse(start) + milliseconds).toISOString();

const asked: AddressRequest = { ip, code: "K7P-4XQ", requested_at: start, first_at: start, attempts: 1 };
const decided = (decision: "confirmed" | "rejected", decided_at = start): AddressRequest => ({
  ...asked,
  decision,
  decided_at,
  decided_by: "admin",
});

describe("a request", () => {
  test("waits for 15 minutes, unless it is decided", () => {
    expect(isWaiting(asked, later(quarterMs - 1))).toBe(true);
    expect(isWaiting(asked, later(quarterMs))).toBe(false);
    expect(isWaiting(decided("confirmed"), start)).toBe(false);
    expect(isWaiting(undefined, start)).toBe(false);
  });

  test("is confirmed for 15 minutes from the decision on", () => {
    const confirmed = decided("confirmed", later(quarterMs - 1));
    expect(isConfirmed(confirmed, later(2 * quarterMs - 2))).toBe(true);
    expect(isConfirmed(confirmed, later(2 * quarterMs - 1))).toBe(false);
    for (const other of [decided("rejected"), asked, undefined]) expect(isConfirmed(other, start)).toBe(false);
  });

  test("is rejected for its address, until a day after the first attempt", () => {
    const rejected = decided("rejected");
    expect(isRejected(rejected, ip, later(dayMs - 1))).toBe(true);
    expect(isRejected(rejected, ip, later(dayMs))).toBe(false);
    expect(isRejected(rejected, "192.0.2.1", start)).toBe(false);
    for (const other of [decided("confirmed"), asked, undefined]) expect(isRejected(other, ip, start)).toBe(false);
  });
});

describe("the next request", () => {
  test("is the first one if there is none before it", () => {
    expect(nextRequest(undefined, { ip, now: start })).toEqual({ ...asked, code: expect.any(String) });
  });

  test("is counted with those of the last 24 hours, and is the first one after that", () => {
    const now = later(dayMs - 1);
    const counted = { ip, code: expect.any(String), requested_at: now, first_at: start, attempts: 4 };
    expect(nextRequest({ ...asked, attempts: 3 }, { ip, now })).toEqual(counted);
    expect(nextRequest({ ...asked, attempts: 3 }, { ip, now: later(dayMs) })).toMatchObject({
      first_at: later(dayMs),
      attempts: 1,
    });
  });

  test("can be the tenth within 24 hours, but not the eleventh", () => {
    expect(nextRequest({ ...asked, attempts: 9 }, { ip, now: start })).toMatchObject({ attempts: 10 });
    expect(nextRequest({ ...asked, attempts: 10 }, { ip, now: start })).toBeUndefined();
  });
});

describe("the code of a request", () => {
  test("is twice three characters without vowels, each time others", () => {
    const codes = Array.from({ length: 100 }, () => nextRequest(undefined, { ip, now: start })?.code ?? "");
    for (const code of codes) expect(code).toMatch(/^[34679CDFGHJKMNPQRTWXY]{3}-[34679CDFGHJKMNPQRTWXY]{3}$/);
    expect(new Set(codes).size).toBeGreaterThan(90);
  });

  test("is recognised by its form", () => {
    expect(isCode("K7P-4XQ")).toBe(true);
    for (const text of ["", "K7P4XQ", "A7P-4XQ", "k7p-4xq", "xK7P-4XQ", "K7P-4XQx"]) expect(isCode(text)).toBe(false);
  });
});

describe("a stored request", () => {
  test.for<[string, AddressRequest]>([
    ["waits", asked],
    ["is the last one of a day", { ...asked, attempts: 10 }],
    ["is confirmed", decided("confirmed")],
    ["is rejected", decided("rejected")],
  ])("is valid if it %s", ([, request]) => {
    expect(isAddressRequest(JSON.stringify(request))).toBe(true);
  });

  test.for<[string, unknown]>([
    ["null", null],
    ["a text", "K7P-4XQ"],
    ["a number", 1],
    ["a list", [asked]],
    ["without a field", { ...asked, attempts: undefined }],
    ["with another field", { ...asked, note: "" }],
    ["with another field instead of one of its own", { ...asked, attempts: undefined, toString: 1 }],
    ["with half a decision", { ...asked, attempts: undefined, decided_at: start }],
    ["with a decision that lacks its time", { ...decided("rejected"), decided_at: undefined }],
  ])("is not valid if it is %s", ([, value]) => {
    expect(isAddressRequest(JSON.stringify(value))).toBe(false);
  });

  test.for<[object]>([
    [{ ip: "203.0.113.050" }],
    [{ ip: 1 }],
    [{ code: "K7P4XQ" }],
    [{ code: ["K7P-4XQ"] }],
    [{ requested_at: "2026-11-21" }],
    [{ requested_at: [start] }],
    [{ first_at: 1 }],
    [{ attempts: 0 }],
    [{ attempts: 11 }],
    [{ attempts: 1.5 }],
    [{ attempts: "1" }],
    [{ decision: "perhaps" }],
    [{ decided_at: 1 }],
    [{ decided_by: 1 }],
  ])("is not valid with %j", ([change]) => {
    expect(isAddressRequest(JSON.stringify({ ...decided("confirmed"), ...change }))).toBe(false);
  });

  test("is not valid if it is not JSON", () => {
    expect(isAddressRequest("{")).toBe(false);
  });
});
