import fc from "fast-check";
import { expect } from "vitest";
import * as z from "zod/mini";
import { keyId } from "../../../lambdas/domain/keys/key-fields.ts";
import { validate } from "../../../lambdas/shared/validation/validate.ts";
import { anyText } from "../../support/any-text.ts";
import type { Call } from "../support/protocol.ts";
import { busy, found, recorded, vCode } from "../support/services.ts";
import type { Behaviours } from "../support/world.ts";

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const otherVCode = "w".repeat(64);

/** The reasons below are each tested separately. */
const unsendable: [key_id: string, ...problems: string[]][] = [
  ["", "must be 1 to 255 characters."],
  [
    "%\ud800?\n",
    "must be well-formed Unicode.",
    "must not contain control characters.",
    "must not contain a question mark.",
    "must not contain a percent sign.",
  ],
];

const troublesome = [..."a/+ .%?&#\ud800\0\x7f\x9f🔑", "\udc00", "%2F"];
const keyIds = fc.oneof(
  fc.array(fc.constantFrom(...troublesome), { maxLength: 5 }).map((parts) => parts.join("")),
  anyText({ maxLength: 10 }),
);

/** A key_id as a client must send it. RFC 3986 leaves open whether these characters are encoded. */
const decodeSubDelimiters = (path: string): string =>
  path.replaceAll(/%(21|27|28|29|2A)/g, (encoded) => decodeURIComponent(encoded));

export const calls: Behaviours = {
  "creates, reads, replaces and deletes a key with any name, with its token, its path and forms as forms": async ({
    open,
    service,
    token,
  }) => {
    const { baseUrl, exchanges } = await recorded(service.baseUrl);
    const client = await open({ base_url: `${baseUrl}/` });
    const key_id = "é 🔑&+=//..\\;#/~*'()!:@,$|\"<>[]{}^`";
    const created = await client({ call: "create_key", key_id, v_code: vCode });
    const read = await client({ call: "get_key", key_id });
    const replaced = await client({ call: "replace_key", key_id, v_code: otherVCode });
    const deleted = await client({ call: "delete_key", key_id });

    const key = { key_id, v_code: vCode, created_at: time, updated_at: time };
    expect(created).toEqual({ value: key, retries: [] });
    expect(read).toEqual(created);
    expect(replaced).toEqual({ value: { ...key, v_code: otherVCode }, retries: [] });
    expect(deleted).toEqual({ value: null, retries: [] });
    const form = "application/x-www-form-urlencoded";
    expect(
      exchanges.map(({ method, status, requestHeaders }) => [method, status, requestHeaders["content-type"]]),
    ).toEqual([
      ["POST", 201, form],
      ["GET", 200, undefined],
      ["PUT", 200, form],
      ["DELETE", 204, undefined],
    ]);
    for (const { path, requestHeaders } of exchanges) {
      expect(requestHeaders).toMatchObject({ accept: "application/json", "x-token": token, "x-sent-path": path });
      expect(requestHeaders["accept-encoding"]).toContain("gzip");
    }
  },

  "returns what the service knows about its token, which may come from a file with white space": async (world) => {
    const client = await world.open({ token: `${world.token}\n` });

    expect((await client({ call: "get_token" })).value).toEqual({
      token_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      ip: "127.0.0.1",
      seen_ip: "127.0.0.1",
      issued_at: time,
      expires_at: expect.toBeOneOf([null, time]),
      expiring: null,
    });
  },

  "fails with every message for every field that is invalid": async ({ open }) => {
    const client = await open();
    const { failure } = await client({ call: "create_key", key_id: "a".repeat(256), v_code: "x" });

    expect(failure).toEqual({
      kind: "ValidationFailed",
      status: 422,
      code: "validation_failed",
      fields: { key_id: ["The key_id must be 1 to 255 characters."], v_code: ["The v_code must be 64 characters."] },
      message: `422 validation_failed: The key_id must be 1 to 255 characters. The v_code must be 64 characters. (request ${failure?.request_id})`,
      request_id: expect.stringMatching(/\S/),
    });
  },

  "fails with the code, the message and the request id of the service, which is also in its log": async (world) => {
    const client = await world.open();
    for (const call of [
      { call: "get_key", key_id: "none" },
      { call: "replace_key", key_id: "none", v_code: vCode },
      { call: "delete_key", key_id: "none" },
    ] as const) {
      const { failure } = await client(call);
      expect(failure).toMatchObject({ kind: "ApiFailure", status: 404, code: "key_not_found" });
      expect(failure?.message).toMatch(/^404 key_not_found: [A-Z].+\. \(request \S+\)$/);
      expect(world.service.logged()).toContain(failure?.request_id);
    }
  },

  "refuses what cannot be sent as it is, with every reason that the service has, before anything is sent": async ({
    uncalled,
  }) => {
    const { client, requests } = await uncalled();
    const malformed = `\udc00${"v".repeat(63)}`;
    const refusals: [Call, Record<string, string[]>][] = unsendable.flatMap(([key_id, ...problems]) => {
      const fields = { key_id: problems.map((problem) => `The key_id ${problem}`) };
      return [
        [{ call: "create_key", key_id, v_code: vCode }, fields],
        [{ call: "get_key", key_id }, fields],
        [{ call: "replace_key", key_id, v_code: vCode }, fields],
        [{ call: "delete_key", key_id }, fields],
      ];
    });
    for (const call of ["create_key", "replace_key"] as const) {
      const fields = { v_code: ["The v_code must be well-formed Unicode."] };
      refusals.push([{ call, key_id: "a", v_code: malformed }, fields]);
    }
    for (const [call, fields] of refusals) {
      expect((await client(call)).failure, JSON.stringify(call)).toEqual({
        kind: "ValidationFailed",
        status: 422,
        code: "validation_failed",
        message: `422 validation_failed: ${Object.values(fields).flat().join(" ")}`,
        fields,
        request_id: null,
      });
    }
    expect(requests).toHaveLength(0);
  },

  "refuses a key_id for the reasons that the service has, and sends every other one": async ({ scripted }) => {
    const { client, requests } = await scripted(Array.from({ length: 1_000 }, () => busy(500)));
    await fc.assert(
      fc.asyncProperty(keyIds, async (key_id) => {
        const result = validate(z.object({ key_id: keyId }), { key_id });
        requests.length = 0;
        const { failure } = await client({ call: "get_key", key_id });
        expect(failure?.fields).toEqual(result.valid ? undefined : result.fields);
        const sent = requests.map(({ url, headers }) => [decodeURIComponent(url), headers["x-sent-path"] === url]);
        // The service compares the received path with the one that was sent.
        expect(sent).toEqual(result.valid ? [[`/api/v1/key/${key_id}`, true]] : []);
      }),
      { numRuns: 200 },
    );
  },

  "stores and returns a v_code of any characters as it is": async ({ open, service }) => {
    const client = await open();
    for (const v_code of ["🔑".repeat(64), "&+=%#?;\r\n\t \0é\u0308~*".padEnd(64, "."), " ".repeat(64)]) {
      const created = await client({ call: "create_key", key_id: "any code", v_code });
      expect(created.value).toMatchObject({ v_code });
      expect((await client({ call: "get_key", key_id: "any code" })).value).toMatchObject({ v_code });
      await service.call("DELETE", "/api/v1/key/any%20code");
    }
  },

  "encodes a key_id completely, below the path of the base URL": async ({ scripted, open }) => {
    const { requests, baseUrl } = await scripted([found(), found()]);
    const client = await open({ base_url: `${baseUrl}/integration/` });
    await client({ call: "get_key", key_id: "a+b/../c d;e#f&g=h\\i" });
    await client({ call: "get_key", key_id: "(é!~'*)" });

    expect(requests.map(({ url }) => decodeSubDelimiters(url))).toEqual([
      "/integration/api/v1/key/a%2Bb%2F..%2Fc%20d%3Be%23f%26g%3Dh%5Ci",
      "/integration/api/v1/key/(%C3%A9!~'*)",
    ]);
    for (const { url, headers } of requests) expect(`/integration${headers["x-sent-path"]}`).toBe(url);
  },

  "refuses a token that no header can carry without repeating it, and a base URL that is none": async ({
    uncalled,
  }) => {
    for (const options of [
      ...["", " ", "itk_secret\nX-Other: 1", "itk_secret\u2028x", "itk_secretℓ"].map((token) => ({ token })),
      ...["integration.example.com", "http://[", "http://user:secret@127.0.0.1"].map((base_url) => ({ base_url })),
    ]) {
      const { client, requests } = await uncalled(options);
      const { failure } = await client({ call: "get_token" });
      expect(failure?.kind, JSON.stringify(options)).toBe("misuse");
      if ("token" in options) expect(failure?.message).not.toContain("secret");
      expect(requests).toHaveLength(0);
    }
  },
};
