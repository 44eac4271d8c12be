import { expect, test } from "vitest";
import { announceExpiry } from "../../../lambdas/middlewares/verify-token.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { absentId, dayMs, inMs, newToken } from "../../../tools/support/tokens.ts";
import { eventOf, runBefore } from "../support/middleware.ts";

const expires_at = inMs(29 * dayMs);
const end = { "X-Token-Expires-At": expires_at };
const rotation = { "X-Token-Rotation": "POST /api/v1/token/rotation" };
const successor_id = absentId();

test.for<[string, Partial<TokenRecord>, object]>([
  ["ends soon is told when, and how to rotate it", { expires_at }, { ...end, ...rotation }],
  ["has been rotated is told only when it ends", { expires_at, successor_id }, end],
  ["ends later is told nothing", { expires_at: inMs(31 * dayMs) }, {}],
  ["never ends is told nothing", {}, {}],
])("the holder of a token that %s, and other headers stay", async ([, fields, announced]) => {
  const answerHeaders = { RateLimit: '"token";r=1;t=1' };
  const event = { ...eventOf(newToken(fields).record), answerHeaders };
  expect((await runBefore(announceExpiry(), event)).answerHeaders).toEqual({ ...answerHeaders, ...announced });
});

test("a request without a caller gets no headers", async () => {
  expect((await runBefore(announceExpiry(), apiEvent())).answerHeaders).toBeUndefined();
});
