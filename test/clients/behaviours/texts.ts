import fc from "fast-check";
import { expect } from "vitest";
import * as z from "zod/mini";
import { keyId } from "../../../lambdas/resources/keys/fields.ts";
import { validate } from "../../../lambdas/validation/validate.ts";
import { busy, found, scripted } from "../../../packages/client/test/support/scripted-service.ts";
import { anyText } from "../../support/any-text.ts";
import { type Behaviours, uncalled, vCode } from "../support/behaviour.ts";
import type { Call } from "../support/drivers.ts";

const unsendable: [key_id: string, problem: string][] = [
  ["", "must be 1 to 255 characters."],
  ["a%2Fb", "must not contain a percent sign."],
  ["100%", "must not contain a percent sign."],
  ["victim?x", "must not contain a question mark."],
  [".", "must not be one or two dots."],
  ["..", "must not be one or two dots."],
  ["\ud800", "must be well-formed Unicode."],
  ["a\udc00b", "must be well-formed Unicode."],
  ["a\0", "must not contain control characters."],
  ["a\nb", "must not contain control characters."],
  ["\x7f", "must not contain control characters."],
  ["\x85", "must not contain control characters."],
];

/** A key_id as a client must send it: RFC 3986 leaves open whether these characters are encoded. */
const decodeSubDelimiters = (path: string): string =>
  path.replaceAll(/%(21|27|28|29|2A)/g, (encoded) => decodeURIComponent(encoded));

export const texts: Behaviours = {
  "refuses a key_id that no path can carry, in every call and before anything is sent": async ({ open }) => {
    const { baseUrl, requests } = await uncalled();
    const client = await open({ base_url: baseUrl });
    for (const [key_id, problem] of unsendable) {
      const calls: Call[] = [
        { call: "create_key", key_id, v_code: vCode },
        { call: "get_key", key_id },
        { call: "replace_key", key_id, v_code: vCode },
        { call: "delete_key", key_id },
      ];
      for (const call of calls) {
        expect((await client(call)).failure, JSON.stringify(call)).toEqual({
          kind: "ValidationFailed",
          status: 422,
          code: "validation_failed",
          message: `422 validation_failed: The key_id ${problem}`,
          fields: { key_id: [`The key_id ${problem}`] },
          request_id: null,
        });
      }
    }
    expect(requests).toHaveLength(0);
  },

  "refuses a key_id for the reasons that the service has, and sends every other one": async ({ open }) => {
    const troublesome = fc.constantFrom(
      "a",
      "/",
      "+",
      " ",
      ".",
      "..",
      "%",
      "%2F",
      "?",
      "&",
      "#",
      "\ud800",
      "\0",
      "\x9f",
      "🔑",
    );
    const keyIds = fc.oneof(
      fc.array(troublesome, { maxLength: 5 }).map((parts) => parts.join("")),
      anyText({ maxLength: 10 }),
    );
    const { baseUrl, requests } = await scripted(...Array.from({ length: 1_000 }, () => busy(500)));
    const client = await open({ base_url: baseUrl });
    await fc.assert(
      fc.asyncProperty(keyIds, async (key_id) => {
        const result = validate(z.object({ key_id: keyId }), { key_id });
        requests.length = 0;
        const { failure } = await client({ call: "get_key", key_id });
        expect(failure?.fields).toEqual(result.valid ? undefined : result.fields);
        const sent = requests.map(({ url }) => decodeURIComponent(url));
        expect(sent).toEqual(result.valid ? [`/api/v1/key/${key_id}`] : []);
      }),
      { numRuns: 200 },
    );
  },

  "gives every reason why a key_id cannot be sent, in the order of the service": async ({ open }) => {
    const { baseUrl } = await uncalled();
    const client = await open({ base_url: baseUrl });

    expect((await client({ call: "get_key", key_id: "%\ud800?\n" })).failure?.fields).toEqual({
      key_id: [
        "The key_id must be well-formed Unicode.",
        "The key_id must not contain control characters.",
        "The key_id must not contain a question mark.",
        "The key_id must not contain a percent sign.",
      ],
    });
  },

  "refuses a v_code that UTF-8 cannot express instead of changing it": async ({ open }) => {
    const { baseUrl, requests } = await uncalled();
    const client = await open({ base_url: baseUrl });
    const v_code = `\udc00${"v".repeat(63)}`;

    for (const call of ["create_key", "replace_key"] as const) {
      expect((await client({ call, key_id: "a", v_code })).failure).toMatchObject({
        kind: "ValidationFailed",
        fields: { v_code: ["The v_code must be well-formed Unicode."] },
      });
    }
    expect(requests).toHaveLength(0);
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

  "encodes a key_id completely, below the path of the base URL": async ({ open }) => {
    const { baseUrl, requests } = await scripted(found(), found());
    const client = await open({ base_url: `${baseUrl}/integration/` });
    await client({ call: "get_key", key_id: "a+b/../c d;e#f&g=h\\i" });
    await client({ call: "get_key", key_id: "(é!~'*)" });

    expect(requests.map(({ url }) => decodeSubDelimiters(url))).toEqual([
      "/integration/api/v1/key/a%2Bb%2F..%2Fc%20d%3Be%23f%26g%3Dh%5Ci",
      "/integration/api/v1/key/(%C3%A9!~'*)",
    ]);
    for (const { url, headers } of requests) expect(`/integration${headers["x-sent-path"]}`).toBe(url);
  },

  "sends a token from a file without the white space around it": async ({ open, token }) => {
    const client = await open({ token: `${token}\n` });
    expect((await client({ call: "get_token" })).failure).toBeUndefined();
  },

  "refuses a token that no header can carry, without repeating it": async ({ open }) => {
    const { baseUrl, requests } = await uncalled();
    for (const token of ["", " ", "itk_secret\nX-Other: 1", "itk_secret\u2028x", "itk_secretℓ"]) {
      const client = await open({ base_url: baseUrl, token });
      const { failure } = await client({ call: "get_token" });
      expect(failure?.kind).toBe("misuse");
      expect(failure?.message).not.toContain("secret");
    }
    expect(requests).toHaveLength(0);
  },

  "refuses a base URL that is none": async ({ open }) => {
    for (const base_url of ["integration.example.com", "http://[", "http://user:secret@127.0.0.1"]) {
      const client = await open({ base_url });
      expect((await client({ call: "get_token" })).failure?.kind, base_url).toBe("misuse");
    }
  },
};
