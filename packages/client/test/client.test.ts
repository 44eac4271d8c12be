import { expect, onTestFinished, test, vi } from "vitest";
import { createIntegrationClient, enrol, type IntegrationClientOptions } from "../src/index.ts";
import { openKeptClient } from "../src/keeper.ts";
import { found, issued, issuedToken, keyNamed, refused, scripted, unchanged, waiting } from "./contract/services.ts";
import { due, tokenFile } from "./contract/stored-token.ts";

/* Behaviour specific to the TypeScript client. The contract has what the clients of all languages have in common. */

const path = "/api/v1/key/{key_id}";
const params = { path: { key_id: "1" } };
const baseUrl = "http://127.0.0.1:1";

/** Creates a client that sends its requests to a function. */
const clientOf = (fetch: (request: Request) => Promise<Response>, options: Partial<IntegrationClientOptions> = {}) =>
  createIntegrationClient({ baseUrl, token: "itk_1_secret", fetch, ...options });

const scriptedClient = async (...responses: Parameters<typeof scripted>) => {
  const { baseUrl, requests } = await scripted(...responses);
  return { client: createIntegrationClient({ baseUrl, token: "itk_1" }), baseUrl, requests };
};

/** Returns the error that a call rejects with. */
const failureOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

/** Creates a file with a token that is due for rotation. */
const dueFile = async () => {
  const file = await tokenFile();
  await file.store("itk_old", due);
  return file;
};

// This test comes first, because undici sets its own timers for connections that other tests have used.
test("a call that is cancelled while the service is busy ends and leaves no timer behind", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const when of [(stop: () => void) => stop(), queueMicrotask]) {
    const giveUp = new AbortController();
    const stop = () => giveUp.abort(new Error("no longer needed"));
    const fetch = vi.fn(async () => new Response(null, { status: 503, headers: { "retry-after": "20" } }));
    // Cancels the call before or during the wait.
    const client = clientOf(fetch, { retry: { onRetry: () => when(stop) } });

    const failure = await failureOf(client.GET("/api/v1/key", { signal: giveUp.signal }));
    expect(failure).toMatchObject({ message: "no longer needed" });
    await new Promise(setImmediate);
    expect(vi.getTimerCount()).toBe(0);
    expect(fetch).toHaveBeenCalledTimes(1);
  }
});

test("changing a returned object affects neither the client's cache nor the condition of a later change", async () => {
  const same = unchanged({ etag: '"a"' });
  const tagged = found(keyNamed("1"), { etag: '"a"' });
  const { client, requests } = await scriptedClient(tagged, same, same, found(keyNamed("1")));
  for (const _ of ["when it is new", "when it is remembered"]) {
    const key = await client.GET(path, { params });
    Object.assign(key, { key_id: "2", v_code: "changed" });
  }
  const key = await client.GET(path, { params });
  expect(key).toEqual(keyNamed("1"));

  Object.assign(key, { key_id: "2" });
  await client.PUT(path, { params, body: { v_code: key.v_code }, ifUnchanged: key });
  expect(requests.at(-1)?.headers["if-match"]).toBe('"a"');
});

test("does not send undefined parameters", async () => {
  const { client, requests } = await scriptedClient(found());
  // Untyped code may pass this.
  const query: object = { limit: undefined, cursor: "a b" };
  await client.GET("/api/v1/key", { params: { query } });

  expect(requests.map(({ url }) => url)).toEqual(["/api/v1/key?cursor=a+b"]);
});

test("sends the caller's headers with each page, and can cancel each page", async () => {
  const next = (cursor: string) => found([], { link: `<?cursor=${cursor}>; rel=next` });
  const { client, requests } = await scriptedClient(next("a"), next("b"));
  const giveUp = new AbortController();
  const pages = client.pages("/api/v1/key", { headers: { traceparent: "00-1" }, signal: giveUp.signal });
  await pages.next();
  await pages.next();
  giveUp.abort(new Error("no longer needed"));

  await expect(pages.next()).rejects.toThrow("no longer needed");
  expect(requests.map(({ headers }) => headers.traceparent)).toEqual(["00-1", "00-1"]);
});

test("exposes the value of a new token, but keeps it out of JSON, copies and logs", async () => {
  const { baseUrl } = await scripted(issued("A0"));
  const token = await enrol({ baseUrl, invitation: "iti_1", onConfirmation: () => {} });
  const { token: text, ...described } = issuedToken("A0");

  expect(token.token).toBe(text);
  expect(JSON.parse(JSON.stringify(token))).toEqual(described);
  expect({ ...token }).toEqual(described);
});

test("adds one listener to a signal that many calls share, because Node.js 20 warns about more than ten", async () => {
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, "addEventListener");
  const client = clientOf(async () => Response.json([]));
  await Promise.all(Array.from({ length: 20 }, () => client.GET("/api/v1/key", { signal })));

  expect(added).toHaveBeenCalledTimes(1);
});

test("ends the call if an asynchronous onConfirmation fails, but not if onTokenExpiring fails", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const failure = new Error("The message was not sent.");
  const failing = async () => {
    throw failure;
  };
  const { baseUrl } = await scripted(waiting("K7P-4XQ"));
  await expect(enrol({ baseUrl, invitation: "iti_1", onConfirmation: failing })).rejects.toBe(failure);

  const headers = { "X-Token-Expires-At": "2026-12-03T10:15:30.123Z" };
  const client = clientOf(async () => Response.json([], { headers }), { onTokenExpiring: failing });
  expect(await client.GET("/api/v1/key")).toEqual([]);
  await expect.poll(() => warn.mock.calls).toEqual([["onTokenExpiring failed:", failure]]);
});

test("does not announce an expiry because of a late response to a replaced token", async () => {
  const late = Promise.withResolvers<Response>();
  const told = vi.fn();
  const fetch = async ({ method }: Request): Promise<Response> =>
    method === "GET" ? late.promise : Response.json(issuedToken("A0"), { status: 201 });
  const client = clientOf(fetch, { onTokenExpiring: told });
  const reading = client.GET("/api/v1/key");
  await client.rotate({ graceSeconds: 60 });
  late.resolve(Response.json([], { headers: { "X-Token-Expires-At": "2026-12-03T10:15:30.123Z" } }));

  expect(await reading).toEqual([]);
  expect(told).not.toHaveBeenCalled();
});

test("stops waiting for a confirmation if the call is cancelled, and later calls do not request another one", async () => {
  const file = await dueFile();
  const confirmed = Promise.withResolvers<void>();
  const refusedAddress = refused(403, "ip_not_allowed");
  const { baseUrl, requests } = await scripted(
    ...[refusedAddress, waiting("K7P-4XQ"), refusedAddress],
    ...[issued("A0"), found([])],
  );
  const cancelling = new AbortController();
  const client = await openKeptClient({
    baseUrl,
    file: file.path,
    mayMove: true,
    onConfirmation: () => cancelling.abort(),
    retry: { wait: () => confirmed.promise },
  });

  const { signal } = cancelling;
  expect(await failureOf(client.GET("/api/v1/key", { signal }))).toMatchObject({ name: "AbortError" });
  const next = client.GET("/api/v1/key");
  await expect.poll(() => requests.length).toBe(3);
  confirmed.resolve();
  expect(await next).toEqual([]);
  expect(requests).toHaveLength(5);
});

test("emits a process warning for a problem that no callback handles", async () => {
  const file = await dueFile();
  const { baseUrl } = await scripted(found(), refused(409, "token_already_rotated"));
  const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
  const client = await openKeptClient({ baseUrl, file: file.path });

  expect(await client.GET("/api/v1/key")).toEqual([]);
  expect((await warned).message).toBe("409 token_already_rotated: It is refused.");
});
