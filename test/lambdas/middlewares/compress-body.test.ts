import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { compressBody } from "../../../lambdas/middlewares/compress-body.ts";
import type { ApiResponse } from "../../../lambdas/middlewares/request.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { middyRequest } from "../support/request.ts";

const body = "ключ ".repeat(20);
const headers = { "Content-Type": "application/json" };

/** The response that a client gets instead of this one, if bodies of the length of `body` are compressed. */
const send = async (
  response: ApiResponse | null,
  acceptEncoding?: string,
  options: Parameters<typeof compressBody>[0] = {},
) => {
  const event = apiEvent({ headers: acceptEncoding === undefined ? {} : { "accept-encoding": acceptEncoding } });
  const request = middyRequest(event, { response });
  await compressBody({ minimumCharacters: body.length, ...options }).after?.(request);
  return request.response ?? null;
};

const bytesOf = (response: ApiResponse | null) => Buffer.from(response?.body ?? "", "base64");

describe("a body is compressed for a client that accepts", () => {
  test.for([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ] as const)("%s", async ([encoding, decompress]) => {
    const response = await send({ statusCode: 200, headers, body }, encoding);

    expect(response).toMatchObject({
      statusCode: 200,
      headers: { ...headers, Vary: "Accept-Encoding", "Content-Encoding": encoding },
      isBase64Encoded: true,
    });
    expect(decompress(bytesOf(response)).toString()).toBe(body);
  });
});

describe("a body is sent as it is", () => {
  test.for([undefined, "", "identity", "zstd"])("for Accept-Encoding: %s", async (accepted) => {
    const response = await send({ statusCode: 200, headers, body }, accepted);

    expect(response).toEqual({ statusCode: 200, headers: { ...headers, Vary: "Accept-Encoding" }, body });
  });

  test.for<[string, ApiResponse]>([
    ["too short", { statusCode: 200, headers, body: body.slice(1) }],
    ["absent", { statusCode: 204, headers }],
    ["base64 already", { statusCode: 200, headers, body, isBase64Encoded: true }],
  ])("and does not vary if it is %s", async ([, response]) => {
    expect(await send({ ...response }, "br")).toEqual(response);
  });
});

describe("the body of a client that accepts no compression", () => {
  const limits = { minimumCharacters: 1, maximumTextCharacters: body.length };
  const plain = (text: string) => send({ statusCode: 200, headers, body: text }, "identity", limits);

  test("stays text up to the given length", async () => {
    expect(await plain(body)).toMatchObject({ body });
  });

  test("is sent as base64 if it is longer, because escaping could make it longer still", async () => {
    const response = await plain(`${body}"`);

    expect(response).toMatchObject({ headers: { ...headers, Vary: "Accept-Encoding" }, isBase64Encoded: true });
    expect(response?.headers).not.toHaveProperty("Content-Encoding");
    expect(bytesOf(response).toString()).toBe(`${body}"`);
  });
});

test("a request without a response is ignored", async () => {
  expect(await send(null, "br")).toBeNull();
});
