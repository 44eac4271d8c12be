import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { afterEach, describe, expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import { actionSeconds } from "../../lambdas/admin/contract.ts";
import { adminApi, callTimeoutMs, type ReadingApi } from "../../web/admin/api/admin-api.ts";
import { ApiFailure, fieldError } from "../../web/admin/api/api-failure.ts";
import { listen } from "../kit/support/listen.ts";

afterEach(() => vi.unstubAllGlobals());

/** Creates a client that gets this response to every request, and records its requests. */
const clientOf = (respond: () => Promise<Response>) => {
  const fetch = vi.fn<(url: string, init: RequestInit) => Promise<Response>>(respond);
  vi.stubGlobal("fetch", fetch);
  const onRefusal = vi.fn();
  // The user may have signed in again before the response arrives.
  const accessToken = vi.fn().mockReturnValueOnce("the access token").mockReturnValue("a newer one");
  return { api: adminApi({ accessToken, onRefusal }), onRefusal, fetch };
};

const v_code = "v".repeat(64);
const time = "2026-11-21T12:00:00.000Z";
const key = { key_id: "a/b+", created_at: time, created_by: null, updated_at: time, updated_by: "admin@example.com" };

describe("a call", () => {
  test("sends path fields in the path, and all other fields in the body", async () => {
    const { api, fetch } = clientOf(async () => Response.json(key));
    await api("replace_key", { key_id: key.key_id, v_code });
    const [url, { method, body, headers, cache }] = fetch.mock.lastCall ?? expect.fail("nothing was sent");
    expect({ url, method, cache, body: JSON.parse(String(body)) }).toEqual({
      url: "/admin/keys/a%2Fb%2B",
      method: "PUT",
      cache: "no-store",
      body: { v_code },
    });
    expect(headers).toMatchObject({
      Authorization: "Bearer the access token",
      "Content-Type": "application/json",
      "X-Sent-Path": "/admin/keys/a%2Fb%2B",
    });
  });

  test("for reading sends its fields in the query, except undefined ones", async () => {
    const { api, fetch } = clientOf(async () => Response.json({ keys: [], next_cursor: null, examined: 0 }));
    await api("list_keys", { limit: 50, cursor: undefined });
    const [url, { method, body }] = fetch.mock.lastCall ?? expect.fail("nothing was sent");
    expect({ url, method, body }).toEqual({ url: "/admin/keys?limit=50", method: "GET", body: undefined });
  });

  test("sends null, which removes a limit, but no undefined fields", async () => {
    const { api, fetch } = clientOf(async () => Response.json({}));
    await api("update", { token_id: "1", rate_limit: null, comment: undefined }).catch(() => undefined);
    expect(fetch.mock.lastCall?.[1].body).toBe('{"rate_limit":null}');
  });

  test("accepts an empty response if the action returns nothing", async () => {
    const { api } = clientOf(async () => new Response(null, { status: 204 }));
    expect(await api("delete_key", { key_id: "gone" })).toBeUndefined();
  });

  const json = (status: number, body: object) => async () => Response.json(body, { status });
  const text = (body: string) => async () => new Response(body);
  const notFound = { code: "key_not_found", message: "There is no key with this key_id." };
  const unreadable = { code: "invalid_response", isOutcomeUnknown: true };
  test.each<[string, () => Promise<Response>, object]>([
    ["of another shape", text(JSON.stringify({ ...key, created_at: 7 })), unreadable],
    ["that is not JSON", text("<html>"), unreadable],
    ["that is empty", text(""), unreadable],
    [
      "that never arrives",
      () => Promise.reject(new TypeError("fetch failed")),
      { code: "no_answer", status: 0, isOutcomeUnknown: true },
    ],
    ["without permission, which ends no session", json(403, { code: "group_required", message: "" }), { status: 403 }],
    ["with the service's code and message", json(404, notFound), { status: 404, ...notFound, isOutcomeUnknown: false }],
    [
      "with the messages for each field",
      json(422, { key_id: ["One.", "Two."] }),
      { fields: { key_id: ["One.", "Two."] } },
    ],
  ])("fails for a response %s, and reports whether its outcome is known", async (_, respond, failure) => {
    const { api, onRefusal } = clientOf(respond);
    const error = await api("get_key", { key_id: "a" }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ApiFailure);
    expect(error).toMatchObject(failure);
    expect(onRefusal).not.toHaveBeenCalled();
  });

  test("made offline reports that nothing was done", async () => {
    const { api } = clientOf(() => Promise.reject(new TypeError("Failed to fetch")));
    vi.stubGlobal("navigator", { onLine: false });
    const failure = { code: "offline", isOutcomeUnknown: false, message: expect.stringContaining("nothing was sent") };
    await expect(api("revoke", { token_id: "a" })).rejects.toMatchObject(failure);
  });

  test("rejected because of its session reports the access token that it used", async () => {
    const { api, onRefusal } = clientOf(json(401, { message: "Unauthorized" }));
    const message = "The session had ended. Try again once you have signed in.";
    await expect(api("get_key", { key_id: "a" })).rejects.toMatchObject({ message });
    expect(onRefusal.mock.calls).toEqual([["the access token"]]);
  });
});

/** Creates a server that lets a test control the response to the next request, and a client of it. */
const serve = async (treat: (response: ServerResponse) => unknown) => {
  const server = createServer();
  const address = await listen(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => fetch(address + path, init));
  const arrived = once(server, "request").then(([, response]: ServerResponse[]) => {
    if (!response) throw new Error("The server has no response to send.");
    treat(response);
    return { closed: once(response, "close") };
  });
  return { arrived, api: adminApi({ accessToken: () => "", onRefusal: () => undefined }) };
};

describe.each([
  ["that is never answered", () => undefined],
  ["whose response stops in the middle", (response: ServerResponse) => response.writeHead(200).write('{"keys": [')],
  ["that is refused in a response that stops", (response: ServerResponse) => response.writeHead(500).write("{")],
])("a call %s", (_, treat) => {
  test("ends and closes its connection when its page is closed", async () => {
    const { arrived, api } = await serve(treat);
    const page = new AbortController();
    const outcome = api("list_keys", {}, { signal: page.signal }).catch((error: unknown) => error);
    const { closed } = await arrived;
    page.abort();
    expect(await outcome).toMatchObject({ name: "ApiFailure", isOutcomeUnknown: true });
    await closed;
  });

  test.each([undefined, new AbortController().signal])(
    "ends after its time limit, with the signal %o",
    async (signal) => {
      const limit = new AbortController();
      vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(limit.signal);
      const { arrived, api } = await serve(treat);
      const outcome = api("list_keys", {}, { signal }).catch((error: unknown) => error);
      const { closed } = await arrived;
      limit.abort(new DOMException("The time is over.", "TimeoutError"));
      expect(await outcome).toMatchObject({ name: "ApiFailure", isOutcomeUnknown: true });
      await closed;
    },
  );
});

test("a call may take longer than the timeouts of the service and API Gateway, unless its client sets a limit", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout").mockClear();
  const { api } = clientOf(async () => Response.json({ keys: [], next_cursor: null, examined: 0 }));
  await api("list_keys", {});

  expect(timeout.mock.calls).toEqual([[callTimeoutMs]]);
  // The timeouts of the function and of API Gateway.
  expect(callTimeoutMs).toBeGreaterThan(Math.max(actionSeconds * 1000, 30_000));
});

describe("a failure", () => {
  test.each([
    [{ code: "offline" }, { isOutcomeUnknown: false, isPageOutdated: false, isUnreachable: true }],
    [{ code: "no_answer" }, { isOutcomeUnknown: true, isPageOutdated: true, isUnreachable: true }],
    [{ status: 500 }, { isOutcomeUnknown: true, isPageOutdated: true, isUnreachable: false }],
    [{ status: 409 }, { isOutcomeUnknown: false, isPageOutdated: true, isUnreachable: false }],
    [{ status: 404 }, { isOutcomeUnknown: false, isPageOutdated: true, isUnreachable: false }],
    [{ status: 422 }, { isOutcomeUnknown: false, isPageOutdated: false, isUnreachable: false }],
  ])("with %o reports what is known: %o", (failure, known) => {
    expect(new ApiFailure(failure)).toMatchObject(known);
  });
});

test("calls that pages can make without the useSending lock change nothing", () => {
  type Changes = "issue" | "invite" | "rotate" | "update" | "revoke" | "confirm" | "delete_key" | "reveal_key";
  expectTypeOf<Extract<Parameters<ReadingApi>[0], Changes>>().toBeNever();
});

test.each([
  ["rate_limit", ["The rate_limit must be whole."], "Requests per minute must be whole."],
  ["ip", ["The ip is wrong.", "The ip is long."], "The IP address is wrong. The IP address is long."],
  ["expires_at", ["The expires_at must be in the future."], "The expiry must be in the future."],
  ["key_id", ["The key_id has already been taken."], "The key_id has already been taken."],
  ["comment", [], ""],
])("the service's messages about %s use the form's name for the field", (field, messages, shown) => {
  expect(fieldError(new ApiFailure({ status: 422, fields: { [field]: messages } }), field)).toBe(shown);
  expect(fieldError(null, field)).toBe("");
});
