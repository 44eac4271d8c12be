import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compressBody } from "../../../lambdas/middlewares/compress-body.ts";
import type { ApiResponse } from "../../../lambdas/middlewares/request.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { around } from "../support/events.ts";

/** Just long enough to be compressed. */
const body = "ключ".repeat(512);
const headers = { "Content-Type": "application/json" };
const varying = { ...headers, Vary: "Accept-Encoding" };

/** Returns what a client gets for this response. */
const send = async (response: ApiResponse, accepted?: string): Promise<ApiResponse> => {
  const event = apiEvent({ headers: accepted === undefined ? {} : { "accept-encoding": accepted } });
  return around(compressBody(), async () => ({ ...response }))(event);
};

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

test.for([
  ["br", "br"],
  ["gzip", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip, deflate", "gzip"],
  ["br;q=0.5, gzip;q=1", "gzip"],
  ["br;q=0, *", "gzip"],
  ["*", "br"],
  ["GZIP", "gzip"],
] as const)("compresses a body for Accept-Encoding: %s, with %s", async ([accepted, encoding]) => {
  const response = await send({ statusCode: 200, headers, body }, accepted);
  expect(response).toEqual({
    statusCode: 200,
    headers: { ...varying, "Content-Encoding": encoding },
    body: expect.any(String),
    isBase64Encoded: true,
  });
  expect(decoders[encoding](Buffer.from(String(response.body), "base64")).toString()).toBe(body);
});

test.for([
  ...[undefined, "", "identity", "deflate", "zstd", "br;q=0, gzip;q=0"],
  ...["identity, br;q=0.5", "identity;q=0", "identity;q=0, deflate"],
])("sends a body unchanged for Accept-Encoding: %s", async (accepted) => {
  const response = await send({ statusCode: 200, headers, body }, accepted);
  expect(response).toEqual({ statusCode: 200, headers: varying, body });
});

test.for<[string, ApiResponse]>([
  ["too short", { statusCode: 200, headers, body: body.slice(1) }],
  ["absent", { statusCode: 204, headers }],
  ["base64 already", { statusCode: 200, headers, body, isBase64Encoded: true }],
])("sends a body unchanged and without Vary if it is %s", async ([, response]) => {
  expect(await send(response, "br")).toEqual(response);
});

test("sends a long uncompressed body as base64, because escaping could make it even longer", async () => {
  const plain = (text: string) => send({ statusCode: 200, headers, body: text }, "identity");
  const text = "a".repeat(1_000_000);
  expect(await plain(text)).toEqual({ statusCode: 200, headers: varying, body: text });
  const long = `${text}"`;
  const base64 = Buffer.from(long).toString("base64");
  expect(await plain(long)).toEqual({ statusCode: 200, headers: varying, body: base64, isBase64Encoded: true });
});
