import { expect, test } from "vitest";
import * as z from "zod/mini";
import {
  type AddressRequest,
  addressRequest,
  isCode,
  isConfirmed,
  isRejected,
  isWaiting,
  nextRequest,
} from "../../../../lambdas/domain/tokens/address-request.ts";
import {
  areDismissedAddresses,
  dismissedIn,
  maxDismissedAddresses,
} from "../../../../lambdas/domain/tokens/dismissed-addresses.ts";
import { jsonText } from "../../../../lambdas/shared/validation/json-text.ts";
import { dayMs } from "../../../kit/support/tokens.ts";

const isAddressRequest = (text: string) => z.safeParse(jsonText(addressRequest, ""), text).success;

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

test("a request is pending for 15 minutes unless it is decided", () => {
  expect(isWaiting(asked, later(quarterMs - 1))).toBe(true);
  expect(isWaiting(asked, later(quarterMs))).toBe(false);
  for (const other of [decided("confirmed"), undefined]) expect(isWaiting(other, start)).toBe(false);
});

test("a confirmation is valid for 15 minutes after the decision", () => {
  const confirmed = decided("confirmed", later(quarterMs - 1));
  expect(isConfirmed(confirmed, later(2 * quarterMs - 2))).toBe(true);
  expect(isConfirmed(confirmed, later(2 * quarterMs - 1))).toBe(false);
  for (const other of [decided("rejected"), asked, undefined]) expect(isConfirmed(other, start)).toBe(false);
});

test("a rejection applies to its address until a day after the first attempt", () => {
  const rejected = decided("rejected");
  expect(isRejected(rejected, ip, later(dayMs - 1))).toBe(true);
  expect(isRejected(rejected, ip, later(dayMs))).toBe(false);
  expect(isRejected(rejected, "192.0.2.1", start)).toBe(false);
  for (const other of [decided("confirmed"), asked, undefined]) expect(isRejected(other, ip, start)).toBe(false);
});

test("the next request has a new code, and continues the 24-hour count or starts a new one", () => {
  const [soon, next] = [later(dayMs - 1), later(dayMs)];
  const code = expect.not.stringMatching(asked.code);
  expect(nextRequest(undefined, { ip, now: start })).toEqual({ ...asked, code: expect.any(String) });
  const third = { ...asked, attempts: 3 };
  expect(nextRequest(third, { ip, now: soon })).toEqual({ ...asked, code, requested_at: soon, attempts: 4 });
  expect(nextRequest(third, { ip, now: next })).toMatchObject({ first_at: next, attempts: 1 });
});

test("a client can make ten requests within 24 hours, but not eleven", () => {
  expect(nextRequest({ ...asked, attempts: 9 }, { ip, now: start })).toMatchObject({ attempts: 10 });
  expect(nextRequest({ ...asked, attempts: 10 }, { ip, now: start })).toBeUndefined();
});

test("a code has two groups of three characters without vowels", () => {
  const codes = Array.from({ length: 100 }, () => nextRequest(undefined, { ip, now: start })?.code ?? "");
  for (const code of codes) expect(code).toMatch(/^[34679CDFGHJKMNPQRTWXY]{3}-[34679CDFGHJKMNPQRTWXY]{3}$/);
  expect(new Set(codes).size).toBeGreaterThan(90);
  expect(isCode("K7P-4XQ")).toBe(true);
  for (const text of ["", "K7P4XQ", "A7P-4XQ", "k7p-4xq", "xK7P-4XQ", "K7P-4XQx"]) expect(isCode(text)).toBe(false);
});

/** Returns a valid object with each of the wrong values, as JSON, because a manual edit may leave anything. */
const damaged = (valid: object, wrong: Record<string, unknown[]>): string[] =>
  Object.entries(wrong).flatMap(([name, values]) => values.map((value) => JSON.stringify({ ...valid, [name]: value })));

test("accepts a stored request in each form that requests and decisions produce", () => {
  for (const request of [asked, { ...asked, attempts: 10 }, decided("confirmed"), decided("rejected")])
    expect(isAddressRequest(JSON.stringify(request))).toBe(true);
});

test("rejects any other stored request", () => {
  const wrong = {
    ip: ["203.0.113.050", 1],
    code: ["K7P4XQ", ["K7P-4XQ"]],
    requested_at: ["2026-11-21", [start]],
    first_at: [1],
    attempts: [0, 11, 1.5, "1"],
    decision: ["perhaps"],
    decided_at: [undefined, 1],
    decided_by: [undefined, 1],
  };
  const texts = [
    ...["{", "null", "{}", '"K7P-4XQ"', "1", JSON.stringify([asked]), `${JSON.stringify(asked)},`],
    ...damaged(asked, { attempts: [undefined], note: [""] }),
    ...damaged({ ...asked, attempts: undefined }, { toString: [1], decided_at: [start] }),
    ...damaged(decided("confirmed"), wrong),
  ];
  for (const text of texts) expect(isAddressRequest(text), text).toBe(false);
});

const address = { ip, dismissed_at: start, dismissed_by: "admin" };
const listOf = (length: number) => JSON.stringify(Array.from({ length }, () => address));

test("accepts a stored list of one to twenty dismissed addresses, and a record without a list", () => {
  expect(maxDismissedAddresses).toBe(20);
  for (const length of [1, 2, 20]) expect(areDismissedAddresses(listOf(length))).toBe(true);
  expect(dismissedIn({ dismissed_addresses: listOf(1) })).toEqual([address]);
  expect(dismissedIn({})).toEqual([]);
});

test("rejects any other stored list of dismissed addresses", () => {
  const others = damaged(address, {
    ip: ["203.0.113.009", [ip], 1],
    dismissed_at: ["2026-11-21", [start]],
    dismissed_by: [undefined, 1],
    note: [""],
  });
  const texts = [
    ...["[", "[]", "null", `"${ip}"`, JSON.stringify(address), listOf(21)],
    ...["null", '"abc"', "1", ...others].map((other) => `[${JSON.stringify(address)},${other}]`),
  ];
  for (const text of texts) expect(areDismissedAddresses(text), text).toBe(false);
});
