import type { RequestListener } from "node:http";
import { expect } from "vitest";
import type { Call } from "./protocol.ts";
import {
  busy,
  cutOff,
  found,
  issued,
  issuedToken,
  json,
  lost,
  noContent,
  raw,
  refused,
  reply,
  waiting,
} from "./services.ts";
import type { Behaviours } from "./world.ts";

const invitation = "iti_1_secret";

/** Lists each call that changes a token, with its response. */
const changes: [call: Call, method: string, path: string, body: string, response: RequestListener][] = [
  [{ call: "enrol", invitation }, "POST", "/api/v1/token", "", issued("A0")],
  [{ call: "rotate", grace_seconds: 60 }, "POST", "/api/v1/token/rotation", "grace_seconds=60", issued("A0")],
  [{ call: "move" }, "POST", "/api/v1/token/move", "", issued("A0")],
  [{ call: "revoke" }, "DELETE", "/api/v1/token", "", noContent],
];

const options = { token: "itk_1_secret" };

/** Loses the connection after the first characters of a new token. */
const cutOffToken = cutOff(201, { ...json, "content-length": "1000" }, '{"token_id":');

export const tokens: Behaviours = {
  "retries a call for a token after a lost response or a 5xx, and then uses the new token": async ({ scripted }) => {
    for (const [call, method, url, body, response] of changes) {
      for (const responses of [
        [lost, busy(500), response],
        [busy(502), busy(504), lost, response],
        ...(response === noContent ? [] : [[cutOffToken, response]]),
      ]) {
        const isLost = responses.slice(0, -1).map((one) => one === lost || one === cutOffToken);
        const { client, requests } = await scripted([...responses, found()], options);
        const { value, failure, retries } = await client(call);
        expect(failure).toBeUndefined();
        expect(value).toEqual(response === noContent ? null : issuedToken("A0"));
        expect(retries.map(({ status }) => status === 0)).toEqual(isLost);
        const secret = call.call === "enrol" ? invitation : options.token;
        const sent = { method, url, body, headers: { "x-token": secret, "x-sent-path": url } };
        expect(requests).toMatchObject(responses.map(() => sent));
        if (call.call !== "rotate" && call.call !== "move") continue;
        await client({ call: "pages" });
        expect(requests.at(-1)?.headers["x-token"]).toBe(issuedToken("A0").token);
      }
    }
  },

  "fails with the last error of a call for a token": async ({ scripted }) => {
    for (const [call] of changes) {
      for (const [response, kind] of [
        [lost, "no response"],
        [busy(502), "ApiFailure"],
      ] as const) {
        const { client, requests } = await scripted([response, response, response], { retry: { attempts: 2 } });
        expect((await client(call)).failure?.kind).toBe(kind);
        expect(requests).toHaveLength(2);
      }
    }
  },

  "does not retry a rejected call for a token, and keeps its token": async ({ scripted }) => {
    for (const status of [401, 403, 409]) {
      for (const [call] of changes) {
        const { client, requests } = await scripted([refused(status, "refusal"), found()], options);
        expect((await client(call)).failure).toMatchObject({ kind: "ApiFailure", status, code: "refusal" });
        await client({ call: "pages" });
        const secrets = requests.map(({ headers }) => headers["x-token"]);
        expect(secrets).toEqual([call.call === "enrol" ? invitation : options.token, options.token]);
      }
    }
  },

  "waits until a token's rate limit resets, but not until the next day": async ({ scripted }) => {
    const [limit, day] = [busy(429, { "retry-after": "58" }), busy(429, { "retry-after": "3600" })];
    const { client, requests } = await scripted([limit, issued("A0"), day]);
    expect((await client({ call: "move" })).value).toEqual(issuedToken("A0"));
    expect((await client({ call: "move" })).failure?.status).toBe(429);
    expect(requests).toHaveLength(3);
  },

  "polls for a confirmation every five seconds or after Retry-After, and reports each code once": async ({
    scripted,
  }) => {
    for (const call of [{ call: "enrol", invitation }, { call: "move" }] as const) {
      const { client } = await scripted([
        waiting("K7P-4XQ"),
        waiting("K7P-4XQ", { "retry-after": "9" }),
        waiting("XYT-37C", { "retry-after": "2" }),
        issued("A0"),
      ]);
      const { value, notes } = await client(call);

      expect(value).toEqual(issuedToken("A0"));
      expect(notes?.waits).toEqual([5_000, 9_000, 5_000]);
      expect(notes?.confirmations).toMatchObject([{ code: "K7P-4XQ" }, { code: "XYT-37C" }]);
    }
  },

  "stops waiting when the request is rejected or has expired by the service's clock": async ({ scripted }) => {
    const at = (second: number) =>
      waiting("K7P-4XQ", { date: `Wed, 01 Jan 2020 00:00:${second} GMT` }, "2020-01-01T00:00:30.000Z");
    const late = await scripted([at(18), at(23), at(28), issued("A0")]);
    expect((await late.client({ call: "move" })).failure).toMatchObject({
      kind: "ApiFailure",
      status: 202,
      code: "not_confirmed",
      message: expect.stringContaining("No admin confirmed the code K7P-4XQ for 127.0.0.1 in time."),
    });
    expect(late.requests).toHaveLength(3);

    const rejected = await scripted([waiting("K7P-4XQ"), refused(403, "request_rejected")]);
    expect((await rejected.client({ call: "enrol", invitation })).failure?.code).toBe("request_rejected");
    expect(rejected.requests).toHaveLength(2);
  },

  "rejects a successful response without a token or a code": async ({ scripted }) => {
    for (const [status, body] of [
      [200, []],
      [201, null],
      [201, { ...issuedToken("A0"), token: 1 }],
      [201, { ...issuedToken("A0"), issued_at: "soon" }],
      [202, null],
      [202, { ip: "127.0.0.1", code: "K7P-4XQ" }],
      [202, { ip: "127.0.0.1", code: "K7P-4XQ", expires_at: "soon" }],
    ] as const) {
      const { client } = await scripted([reply(status, body)]);
      const { failure } = await client({ call: "move" });
      expect(failure, JSON.stringify(body)).toMatchObject({ kind: "ApiFailure", status, code: "unknown" });
    }
  },

  "shows no secret in results, errors or itself": async ({ scripted }) => {
    const secret = "itk_01KAK3Y0V9QX8M4N2R7T5W1Y0B_secretsecret";
    const text = JSON.stringify({ ...issuedToken("A0"), token: secret });
    const json = "application/json";
    for (const [status, contentType, body] of [
      [201, json, text],
      [201, json, text.replace("2026-11-21T10:15:30.123Z", secret)],
      [201, "text/plain", text],
      [201, "text/html", `${" ".repeat(190)}${secret}`],
      [201, json, text.slice(0, -1)],
      [201, json, Buffer.from(text.replace("secret", "secret\xff"), "latin1")],
      [201, json, text.replace("token_id", "id")],
      [400, "text/html", `X-Token: iti_${secret.slice(4)}`],
      [401, json, '{"code":"token_invalid","message":"It is refused."}'],
    ] as const) {
      for (const [call] of changes) {
        const secretCall = call.call === "enrol" ? { ...call, invitation: secret } : call;
        const responses = [raw(status, body, { "content-type": contentType })];
        const { client } = await scripted(responses, { token: secret, retry: { attempts: 1 } });
        const { failure, notes } = await client(secretCall);

        expect(`${notes?.shown}${failure?.message}`, String(body)).not.toContain("secret");
        expect(notes?.shown, String(body)).toMatch(/\S/);
      }
    }
  },
};
