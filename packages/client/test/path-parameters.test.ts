import { createRouteTable } from "cdk-local-runner/parts";
import fc from "fast-check";
import { expect, test } from "vitest";
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
  ..."a b 1 / // \\ + ; # . .. ./ ../ % %2F %25 ? %3F & = ü u\u0308 λ 🔑 token @ : ~ ! ' ( ) * ,".split(" "),
  ...[" ", "\ud800", "\udc00", "\0", "\n"],
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
