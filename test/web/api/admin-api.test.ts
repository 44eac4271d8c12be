import { afterEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import { adminApi, type ReadingApi } from "../../../web/api/admin-api.ts";
import { ApiFailure } from "../../../web/api/api-failure.ts";

afterEach(() => vi.unstubAllGlobals());

/** A client that gets this answer to every request, and the requests that it sent. */
const clientOf = (answer: () => Promise<Response>) => {
  const fetch = vi.fn<(url: string, init: RequestInit) => Promise<Response>>(answer);
  vi.stubGlobal("fetch", fetch);
  const onRefusal = vi.fn();
  // The user may have signed in again by the time of the response.
  const accessToken = vi.fn().mockReturnValueOnce("the access token").mockReturnValue("a newer one");
  return { api: adminApi({ accessToken, onRefusal }), onRefusal, fetch };
};

const vCode = "v".repeat(64);

const key = {
  key_id: "a/b+",
  created_at: "2026-11-21T12:00:00.000Z",
  created_by: null,
  updated_at: "2026-11-21T12:00:00.000Z",
  updated_by: "admin@example.com",
};

describe("a call", () => {
  test("puts path fields into the path, and the others into the body", async () => {
    const { api, fetch } = clientOf(async () => Response.json(key));
    await api("replace_key", { key_id: key.key_id, v_code: vCode });

    const [url, { method, body, headers, cache }] = fetch.mock.lastCall ?? expect.fail("nothing was sent");
    expect({ url, method, cache, body: JSON.parse(String(body)) }).toEqual({
      cache: "no-store",
      url: "/admin/keys/a%2Fb%2B",
      method: "PUT",
      body: { v_code: vCode },
    });
    expect(headers).toMatchObject({
      Authorization: "Bearer the access token",
      "Content-Type": "application/json",
      "X-Sent-Path": "/admin/keys/a%2Fb%2B",
    });
  });

  test("that reads sends its fields in the query, except undefined ones", async () => {
    const { api, fetch } = clientOf(async () => Response.json({ keys: [], next_cursor: null, examined: 0 }));
    await api("list_keys", { limit: 50, cursor: undefined });

    const [url, { method, body }] = fetch.mock.lastCall ?? expect.fail("nothing was sent");
    expect({ url, method, body }).toEqual({ url: "/admin/keys?limit=50", method: "GET", body: undefined });
  });

  test("accepts an empty answer if the action returns nothing", async () => {
    const { api } = clientOf(async () => new Response(null, { status: 204 }));
    expect(await api("delete_key", { key_id: "gone" })).toBeUndefined();
  });

  test.each([
    ["of another shape", JSON.stringify({ ...key, created_at: 7 })],
    ["that is not JSON", "<html>"],
    ["that is empty", ""],
  ])("fails with an unknown outcome for an answer %s", async (_, text) => {
    const { api } = clientOf(async () => new Response(text));
    const failure = await api("get_key", { key_id: "a" }).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(ApiFailure);
    expect(failure).toMatchObject({ code: "invalid_response", isOutcomeUnknown: true });
  });

  test("fails with an unknown outcome when the connection breaks", async () => {
    const { api } = clientOf(() => Promise.reject(new TypeError("fetch failed")));
    const failure = await api("get_key", { key_id: "a" }).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(ApiFailure);
    expect(failure).toMatchObject({ code: "no_answer", status: 0, isOutcomeUnknown: true });
  });

  test("fails with the service's code and message, and for a 401 reports the access token that was sent", async () => {
    const refusal = { code: "key_not_found", message: "There is no key with this key_id." };
    const missing = clientOf(async () => Response.json(refusal, { status: 404 }));
    await expect(missing.api("get_key", { key_id: "a" })).rejects.toMatchObject({ status: 404, ...refusal });
    expect(missing.onRefusal).not.toHaveBeenCalled();

    const expired = clientOf(async () => Response.json({ message: "Unauthorized" }, { status: 401 }));
    await expect(expired.api("get_key", { key_id: "a" })).rejects.toMatchObject({
      message: "The session had ended. Try again once you have signed in.",
    });
    expect(expired.onRefusal.mock.calls).toEqual([["the access token"]]);
  });

  test("fails with the messages for each field for a 422", async () => {
    const { api } = clientOf(async () => Response.json({ key_id: ["One.", "Two."] }, { status: 422 }));
    await expect(api("get_key", { key_id: "a" })).rejects.toMatchObject({ fields: { key_id: ["One.", "Two."] } });
  });
});

test("what pages can call without the lock of useSending changes nothing", () => {
  type Changes = "issue" | "invite" | "rotate" | "update" | "revoke" | "confirm" | "delete_key" | "reveal_key";
  expectTypeOf<Extract<Parameters<ReadingApi>[0], Changes>>().toBeNever();
});

describe("a key_id that no path can carry", () => {
  test.each([
    ["victim?x", "The key_id must not contain a question mark."],
    ["a%2Fb", "The key_id must not contain a percent sign."],
    [".", "The key_id must not be one or two dots."],
    ["..", "The key_id must not be one or two dots."],
    ["", "The key_id must be 1 to 255 characters."],
    ["\udc00", "The key_id must be well-formed Unicode."],
  ])("%j is refused before anything is sent, with the service's message", async (key_id, problem) => {
    const { api, fetch } = clientOf(async () => Response.json(key));
    const refusal = { status: 422, isOutcomeUnknown: false, fields: { key_id: [problem] } };
    const inPath = { ...refusal, message: expect.stringContaining(`${problem} Nothing was sent.`) };

    await expect(api("get_key", { key_id })).rejects.toMatchObject(inPath);
    await expect(api("replace_key", { key_id, v_code: vCode })).rejects.toMatchObject(inPath);
    await expect(api("delete_key", { key_id })).rejects.toMatchObject(inPath);
    await expect(api("create_key", { key_id, v_code: vCode })).rejects.toMatchObject(refusal);
    expect(fetch).not.toHaveBeenCalled();
  });
});
