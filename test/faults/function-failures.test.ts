import { expect, test } from "vitest";
import { apiChain } from "../../lambdas/middlewares/chain.ts";
import type { ApiEvent } from "../../lambdas/middlewares/request.ts";
import { apiEvent, lambdaContext } from "../../tools/support/events.ts";
import { captureLog } from "../lambdas/support/outcomes.ts";

test("a slow handler returns 503 and writes a log line before Lambda stops the function", async () => {
  const log = captureLog();
  const context = { ...lambdaContext, getRemainingTimeInMillis: () => 600 };
  const endless = apiChain().handler<ApiEvent>(() => new Promise<never>(() => {}));

  const { statusCode, headers, body } = await endless(apiEvent(), context);
  expect({ statusCode, headers }).toMatchObject({
    statusCode: 503,
    headers: { "Retry-After": "1", "X-Request-Id": "request-1" },
  });
  expect(JSON.parse(String(body))).toMatchObject({ code: "unavailable" });
  const cause = expect.stringContaining("before the function's time-out");
  expect(log.lines()).toEqual([expect.objectContaining({ level: "ERROR", status: 503, cause })]);
});
