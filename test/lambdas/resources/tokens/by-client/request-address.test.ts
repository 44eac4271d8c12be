import { describe, expect, test, vi } from "vitest";
import type { AddressRequest } from "../../../../../lambdas/resources/tokens/address-request.ts";
import { requestAddress } from "../../../../../lambdas/resources/tokens/by-client/client-changes.ts";
import type { TokenStore } from "../../../../../lambdas/resources/tokens/token-store.ts";
import { decided, newToken, requestField } from "../../../../../tools/support/tokens.ts";
import { author } from "../../../../support/authors.ts";

const ip = "203.0.113.50";
const now = "2026-11-21T10:15:30.123Z";

/** The outcome of a request after the previous one, in a store that makes the change or not. */
const ask = async (previous?: Partial<AddressRequest>, made = true) => {
  const times = { ip, requested_at: now, first_at: now };
  const { record } = newToken(previous && { request: requestField({ ...times, ...previous }) });
  const request = vi.fn<TokenStore["request"]>(async () => ({ made, token: record }));
  return { record, request, outcome: await requestAddress({ request }, record, { ip, author, now }) };
};

describe("a request for an address", () => {
  const isNew = { ip, code: expect.any(String), requested_at: now, first_at: now, attempts: 1 };

  test("is stored with its code, which the history has as well", async () => {
    const { record, request, outcome } = await ask();

    expect(outcome).toEqual({ outcome: "requested", request: isNew, isNew: true });
    const { request: asked } = outcome as { request: AddressRequest };
    const note = { kind: "requested", author, details: { ip, code: asked.code } };
    expect(request).toHaveBeenCalledExactlyOnceWith(record, { request: JSON.stringify(asked) }, note);
  });

  test("is not made again while the previous one from there waits", async () => {
    const { request, outcome } = await ask({ code: "K7P-4XQ" });

    expect(outcome).toEqual({ outcome: "requested", request: { ...isNew, code: "K7P-4XQ" }, isNew: false });
    expect(request).not.toHaveBeenCalled();
  });

  test.for<[string, Partial<AddressRequest>]>([
    ["from another address", { ip: "192.0.2.1" }],
    ["that no longer waits", { requested_at: "2026-11-21T10:00:30.123Z" }],
    ["that was rejected for another address", { ip: "192.0.2.1", ...decided("rejected") }],
  ])("follows one %s, and is counted with it", async ([, previous]) => {
    const { outcome } = await ask({ attempts: 3, ...previous });

    expect(outcome).toMatchObject({ outcome: "requested", request: { ip, attempts: 4 }, isNew: true });
  });

  test("that another change has overtaken is not made: the current record is returned", async () => {
    const { record, outcome } = await ask(undefined, false);

    expect(outcome).toEqual({ current: record });
  });

  test("is refused with a warning for an address that was rejected", async () => {
    const { record, request, outcome } = await ask(decided("rejected"));

    const facts = { token_id: record.token_id, leak_signal: "right secret, rejected address" };
    expect(outcome).toEqual({ outcome: "refused", code: "request_rejected", options: { values: { ip }, facts } });
    expect(request).not.toHaveBeenCalled();
  });

  test("is refused with a warning after too many, until the day is over", async () => {
    const { record, request, outcome } = await ask({
      attempts: 10,
      ip: "192.0.2.1",
      first_at: "2026-11-20T10:16:00.000Z",
    });

    const leak_signal = "right secret, too many requests for confirmation";
    expect(outcome).toEqual({
      outcome: "refused",
      code: "too_many_requests",
      options: { headers: { "Retry-After": "30" }, facts: { token_id: record.token_id, leak_signal } },
    });
    expect(request).not.toHaveBeenCalled();
  });
});
