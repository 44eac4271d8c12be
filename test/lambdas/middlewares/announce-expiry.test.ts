import { expect, test } from "vitest";
import { announceExpiry } from "../../../lambdas/middlewares/verify-token.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { absentId, dayMs, inMs, newToken } from "../../../tools/support/tokens.ts";
import { author } from "../../support/authors.ts";
import { runBefore } from "../support/run-before.ts";

/** The additional headers of the response to a caller with such a token. */
const announce = async (fields: Partial<TokenRecord>, answerHeaders: Record<string, string> = {}) => {
  const token = newToken(fields).record;
  const event = { ...apiEvent(), caller: { token, ip: token.ip, author }, answerHeaders };
  return (await runBefore(announceExpiry(), event)).answerHeaders;
};

const expires_at = inMs(29 * dayMs);

test("the holder of a token that ends soon is told when, and how to rotate it", async () => {
  expect(await announce({ expires_at })).toEqual({
    "X-Token-Expires-At": expires_at,
    "X-Token-Rotation": "POST /api/v1/token/rotation",
  });
});

test("the holder of a token that has been rotated is told only when it ends", async () => {
  expect(await announce({ expires_at, successor_id: absentId() })).toEqual({ "X-Token-Expires-At": expires_at });
});

test("other headers of the answer stay", async () => {
  expect(await announce({ expires_at }, { RateLimit: '"token";r=1;t=1' })).toMatchObject({
    RateLimit: '"token";r=1;t=1',
    "X-Token-Expires-At": expires_at,
  });
});

test.for<[string, Partial<TokenRecord>]>([
  ["later", { expires_at: inMs(31 * dayMs) }],
  ["never", {}],
])("the holder of a token that ends %s is told nothing", async ([, fields]) => {
  expect(await announce(fields)).toEqual({});
});

test("a request without a caller gets no headers", async () => {
  expect((await runBefore(announceExpiry(), apiEvent())).answerHeaders).toBeUndefined();
});
