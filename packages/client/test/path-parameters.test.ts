import { createRouteTable } from "cdk-local-runner/parts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { ApiError } from "../../../lambdas/errors/api-error.ts";
import { assertSentPath } from "../../../lambdas/middlewares/validate-input.ts";
import { keyId } from "../../../lambdas/resources/keys/fields.ts";
import { validate } from "../../../lambdas/validation/validate.ts";
import { anyText } from "../../../test/support/any-text.ts";
import { createIntegrationClient, ValidationFailed } from "../src/index.ts";

const baseUrl = "https://integration.example.com";
const keyFields = z.object({ key_id: keyId });

/** The request that the client sends to delete a key; undefined if it refuses to. */
const requestFor = async (key_id: string): Promise<Request | undefined> => {
  let sent: Request | undefined;
  const fetch = async (request: Request) => {
    sent = request;
    return new Response(null, { status: 204 });
  };
  const client = createIntegrationClient({ baseUrl, token: "itk_1", fetch });
  try {
    await client.DELETE("/api/v1/key/{key_id}", { params: { path: { key_id } } });
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationFailed);
    expect(sent).toBeUndefined();
  }
  return sent;
};

/** A gateway's way with a path: throws a URIError if it refuses the path. */
type Decoder = (path: string) => string;

const cut = (path: string): string => path.split("?")[0] ?? "";

const removeDotSegments: Decoder = (path) => {
  const kept: string[] = [];
  for (const segment of path.split("/").slice(1)) {
    if (segment === "..") kept.pop();
    else if (segment !== ".") kept.push(segment);
  }
  return `/${kept.join("/")}`;
};

/** What API Gateway was recorded to do, and everything else that a gateway might. */
const steps: Record<string, Decoder> = {
  "decodes once": decodeURIComponent,
  "decodes, cuts and decodes again, as recorded": (path) => decodeURIComponent(cut(decodeURIComponent(path))),
  "decodes three times": (path) => decodeURIComponent(decodeURIComponent(decodeURIComponent(path))),
  "does not decode": (path) => path,
  "takes a plus for a space": (path) => path.replaceAll("+", " "),
  "takes a space for a plus": (path) => path.replaceAll(" ", "+"),
  "takes a backslash for a slash": (path) => path.replaceAll("\\", "/"),
  "merges slashes": (path) => path.replaceAll(/\/+/g, "/"),
  "drops slashes at the end": (path) => path.replace(/\/+$/, ""),
  "removes dot segments": removeDotSegments,
  "drops what follows a semicolon in each segment": (path) => path.replaceAll(/;[^/]*/g, ""),
  "cuts at a number sign": (path) => path.split("#")[0] ?? "",
  "cuts at a question mark": cut,
  "trims white space": (path) => path.trim(),
  "composes characters": (path) => path.normalize("NFC"),
  "decomposes characters": (path) => path.normalize("NFKD"),
  "writes in lower case": (path) => path.toLowerCase(),
};

const findRoute = createRouteTable(
  ["DELETE /api/v1/key/{key_id+}", "GET /api/v1/key", "DELETE /api/v1/token"].map((routeKey) => ({ routeKey })),
);

/** The key that the service would delete, or why it refuses. */
const arriveThrough = (request: Request, decoders: Decoder[]) => {
  let path = new URL(request.url).pathname;
  try {
    for (const decode of decoders) path = decode(path);
  } catch (error) {
    if (error instanceof URIError) return { refused: "by the gateway" };
    throw error;
  }
  const match = findRoute(request.method, path);
  if (match === undefined) return { refused: "no endpoint" };
  const { target, pathParameters = {} } = match;
  try {
    assertSentPath({ headers: Object.fromEntries(request.headers), routeKey: target.routeKey, pathParameters });
  } catch (error) {
    if (error instanceof ApiError) return { refused: error.code };
    throw error;
  }
  return validate(keyFields, pathParameters).valid ? { key: pathParameters.key_id } : { refused: "key_not_found" };
};

const troublesome = fc.constantFrom(
  ...[
    "a",
    "b",
    "1",
    "/",
    "//",
    "\\",
    "+",
    " ",
    ";",
    "#",
    ".",
    "..",
    "./",
    "../",
    "%",
    "%2F",
    "%25",
    "?",
    "%3F",
    "&",
    "=",
  ],
  ...["ü", "u\u0308", "λ", "🔑", "\ud800", "\udc00", "\0", "\n", "token", "@", ":", "~", "!", "'", "(", ")", "*", ","],
);
const keyIds = fc.oneof(
  fc.array(troublesome, { maxLength: 8 }).map((parts) => parts.join("")),
  anyText({ maxLength: 20 }),
);
const gateways = fc.array(fc.constantFrom(...Object.entries(steps)), { minLength: 1, maxLength: 4 });

test("whatever a gateway makes of its path, a call reaches the key that it names or is refused", async () => {
  await fc.assert(
    fc.asyncProperty(keyIds, gateways, async (key_id, chosen) => {
      const request = await requestFor(key_id);
      if (request === undefined) return;
      const arrived = arriveThrough(request, [steps["decodes once"] ?? String, ...chosen.map(([, decode]) => decode)]);
      expect("refused" in arrived || arrived.key === key_id, `${JSON.stringify(arrived)}`).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

test.each(Object.entries(steps))(
  "a gateway that %s misleads no call for a key with a troublesome character",
  async (_, decode) => {
    for (const key_id of [
      "a+b",
      "a b",
      "a\\b",
      "a//b",
      "a/",
      "/a",
      "a/../b",
      "../token",
      "a/./b",
      "a;b",
      "a#b",
      "u\u0308",
    ]) {
      const request = await requestFor(key_id);
      expect.assert(request, `${key_id} was not sent`);
      for (const decoders of [
        [decode],
        [decodeURIComponent, decode],
        [decodeURIComponent, cut, decodeURIComponent, decode],
      ]) {
        const arrived = arriveThrough(request, decoders);
        expect("refused" in arrived || arrived.key, key_id).toBeOneOf([true, key_id]);
      }
    }
  },
);

test("a call through API Gateway as it was recorded reaches every key that the client accepts", async () => {
  const recorded = [steps["decodes, cuts and decodes again, as recorded"] ?? String];
  await fc.assert(
    fc.asyncProperty(keyIds, async (key_id) => {
      const request = await requestFor(key_id);
      if (request !== undefined) expect(arriveThrough(request, recorded)).toEqual({ key: key_id });
    }),
    { numRuns: 1_000 },
  );
});

describe("a key_id that no path can carry", () => {
  test("is refused for the reasons that the service has, and no other key_id is", async () => {
    await fc.assert(
      fc.asyncProperty(keyIds, async (key_id) => {
        const result = validate(keyFields, { key_id });
        expect((await requestFor(key_id)) === undefined).toBe(!result.valid);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["a%2Fb", "The key_id must not contain a percent sign."],
    ["100%", "The key_id must not contain a percent sign."],
    ["victim?x", "The key_id must not contain a question mark."],
    [".", "The key_id must not be one or two dots."],
    ["..", "The key_id must not be one or two dots."],
    ["", "The key_id must be 1 to 255 characters."],
    ["\ud800", "The key_id must be well-formed Unicode."],
    ["a\0", "The key_id must not contain control characters."],
  ])("%j is refused by every call, before anything is sent", async (key_id, message) => {
    let calls = 0;
    const fetch = async () => {
      calls += 1;
      return Response.json({});
    };
    const client = createIntegrationClient({ baseUrl, token: "itk_1", fetch });
    const params = { path: { key_id } };
    const v_code = "v".repeat(64);
    const refusal = { name: "ValidationFailed", status: 422, fields: { key_id: [message] } };

    await expect(client.POST("/api/v1/key", { body: { key_id, v_code } })).rejects.toMatchObject(refusal);
    await expect(client.GET("/api/v1/key/{key_id}", { params })).rejects.toMatchObject(refusal);
    await expect(client.PUT("/api/v1/key/{key_id}", { params, body: { v_code } })).rejects.toMatchObject(refusal);
    await expect(client.DELETE("/api/v1/key/{key_id}", { params })).rejects.toMatchObject(refusal);
    expect(calls).toBe(0);
    expect(validate(keyFields, { key_id })).toEqual({ valid: false, fields: { key_id: [message] } });
  });
});

test("a call sends its path in a header, without the path of the base URL, and keeps the caller's headers", async () => {
  let request: Request | undefined;
  const fetch = async (sent: Request) => {
    request = sent;
    return Response.json({});
  };
  const client = createIntegrationClient({ baseUrl: "https://proxy.example.com/integration/", token: "itk_1", fetch });
  await client.GET("/api/v1/key/{key_id}", { params: { path: { key_id: "a+b/c" } }, headers: { traceparent: "00-1" } });

  expect(request?.url).toBe("https://proxy.example.com/integration/api/v1/key/a%2Bb%2Fc");
  expect(request?.headers.get("x-sent-path")).toBe("/api/v1/key/a%2Bb%2Fc");
  expect(request?.headers.get("traceparent")).toBe("00-1");
});
