import { expect } from "vitest";
import type { Call } from "./protocol.ts";
import { describedToken, found, keyNamed, noContent, refused, reply, vCode } from "./services.ts";
import type { Behaviours } from "./world.ts";

/** A key_id as a client must send it. RFC 3986 leaves open whether these characters are encoded. */
const decodeSubDelimiters = (path: string): string =>
  path.replaceAll(/%(21|27|28|29|2A)/g, (encoded) => decodeURIComponent(encoded));

const malformed = `\udc00${"v".repeat(63)}`;

/** The values that cannot be sent as they are, with all reasons. */
const unsendable: { key_id: string; v_code?: string; problems: string[] }[] = [
  { key_id: "", problems: ["The key_id must be 1 to 255 characters."] },
  {
    key_id: "%\ud800?\n",
    problems: [
      "The key_id must be well-formed Unicode.",
      "The key_id must not contain control characters.",
      "The key_id must not contain a question mark.",
      "The key_id must not contain a percent sign.",
    ],
  },
  { key_id: "a", v_code: malformed, problems: ["The v_code must be well-formed Unicode."] },
];

export const calls: Behaviours = {
  "sends any key_id and v_code unchanged, with its token, below the path of the base URL": async ({
    scripted,
    open,
  }) => {
    const key_id = "a+b/../c d;e#f&g=h\\i(é!~'*)";
    const sentPath = "/api/v1/key/a%2Bb%2F..%2Fc%20d%3Be%23f%26g%3Dh%5Ci(%C3%A9!~'*)";
    const [first, second] = ["&+=%#?;\r\n\t \0é\u0308~*🔑", "w".repeat(64)];
    const key = keyNamed(key_id, first);
    const { requests, baseUrl } = await scripted([reply(201, key), found(key), found(key), noContent]);
    const client = await open({ base_url: `${baseUrl}/integration/` });

    expect(await client({ call: "create_key", key_id, v_code: first })).toEqual({ value: key, retries: [] });
    expect((await client({ call: "get_key", key_id })).value).toEqual(key);
    expect((await client({ call: "replace_key", key_id, v_code: second })).value).toEqual(key);
    expect(await client({ call: "delete_key", key_id })).toEqual({ value: null, retries: [] });
    const form = "application/x-www-form-urlencoded";
    const sent = requests.map(({ method, url, headers, body }) => [
      [method, decodeSubDelimiters(url), headers["content-type"]],
      Object.fromEntries(new URLSearchParams(body)),
    ]);
    expect(sent).toEqual([
      [["POST", "/integration/api/v1/key", form], { key_id, v_code: first }],
      [["GET", `/integration${sentPath}`, undefined], {}],
      [["PUT", `/integration${sentPath}`, form], { v_code: second }],
      [["DELETE", `/integration${sentPath}`, undefined], {}],
    ]);
    for (const { url, headers } of requests) {
      expect(headers).toMatchObject({ accept: "application/json", "x-token": "itk_1_secret" });
      expect(`/integration${headers["x-sent-path"]}`).toBe(url);
      expect(headers["accept-encoding"]).toContain("gzip");
    }
  },

  "returns the service's description of its token, and trims white space around the token": async (world) => {
    const value = { ...describedToken, expiring: { days: 12, rotation: "POST /api/v1/token/rotation" } };
    const { client, requests } = await world.scripted([found(value)], { token: "itk_1\n" });

    expect((await client({ call: "get_token" })).value).toEqual(value);
    expect(requests[0]?.headers["x-token"]).toBe("itk_1");
  },

  "reports all messages of a 422, and the code, message and request id of other errors": async (world) => {
    const fields = { key_id: ["The key_id is long."], v_code: ["The v_code is short.", "The v_code is odd."] };
    const headers = { "x-request-id": "Kf3" };
    const [none, changed] = [refused(404, "key_not_found", headers), refused(412, "precondition_failed", headers)];
    const { client } = await world.scripted([reply(422, fields, headers), none, none, changed]);
    const failed = async (call: Call) => (await client(call)).failure;

    expect(await failed({ call: "create_key", key_id: "1", v_code: "x" })).toEqual({
      kind: "ValidationFailed",
      status: 422,
      code: "validation_failed",
      fields,
      message: "422 validation_failed: The key_id is long. The v_code is short. The v_code is odd. (request Kf3)",
      request_id: "Kf3",
    });
    const missing = { kind: "ApiFailure", status: 404, code: "key_not_found", request_id: "Kf3" };
    const message = "404 key_not_found: It is refused. (request Kf3)";
    expect(await failed({ call: "get_key", key_id: "1" })).toEqual({ ...missing, message });
    expect(await failed({ call: "delete_key", key_id: "1" })).toEqual({ ...missing, message });
    expect(await failed({ call: "replace_key", key_id: "1", v_code: "x" })).toMatchObject({
      kind: "PreconditionFailed",
      status: 412,
      code: "precondition_failed",
    });
  },

  "rejects values that cannot be sent unchanged, with the service's messages, before sending anything": async ({
    uncalled,
  }) => {
    const { client, requests } = await uncalled();
    for (const { key_id, v_code = vCode, problems } of unsendable) {
      const changes: Call[] = [
        { call: "create_key", key_id, v_code },
        { call: "replace_key", key_id, v_code },
      ];
      const others: Call[] =
        v_code === vCode
          ? [
              { call: "get_key", key_id },
              { call: "delete_key", key_id },
            ]
          : [];
      for (const call of [...changes, ...others]) {
        expect((await client(call)).failure, JSON.stringify(call)).toEqual({
          kind: "ValidationFailed",
          status: 422,
          code: "validation_failed",
          message: `422 validation_failed: ${problems.join(" ")}`,
          fields: { [v_code === vCode ? "key_id" : "v_code"]: problems },
          request_id: null,
        });
      }
    }
    expect(requests).toHaveLength(0);
  },

  "rejects an invalid base URL, and a token that no header can carry, without quoting the token": async ({
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
