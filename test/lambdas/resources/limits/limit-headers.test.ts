import { expect, test } from "vitest";
import { limitHeaders } from "../../../../lambdas/middlewares/limit-rate.ts";

test("the headers give the limit per minute, the requests left, and when the count starts again", () => {
  expect(limitHeaders({ limit: 600, remaining: 598, resetSeconds: 42 })).toEqual({
    "RateLimit-Policy": '"token";q=600;w=60',
    RateLimit: '"token";r=598;t=42',
  });
});
