import { describe, expect, onTestFinished, test, vi } from "vitest";
import { apiChain } from "../../lambdas/functions/api-chain.ts";
import { apiEvent, lambdaContext } from "../../tools/support/events.ts";
import { captureLog } from "../lambdas/support/outcomes.ts";

describe("within the chain", () => {
  const answerOf = async (handler: () => Promise<never>, remainingMs = 3_000) => {
    const log = captureLog();
    const context = { ...lambdaContext, getRemainingTimeInMillis: () => remainingMs };
    const { statusCode, headers, body } = await apiChain().handler(handler)(apiEvent(), context);
    return { statusCode, headers, body: JSON.parse(String(body)), lines: log.lines() };
  };

  test.each<[string, unknown]>([
    ["a text", "a text"],
    ["undefined", undefined],
    ["null", null],
    ["zero", 0],
    ["a frozen object", Object.freeze({ statusCode: 200, message: "secret", expose: true })],
    ["an error that looks like an HTTP error", Object.assign(new Error("secret"), { statusCode: 418, expose: true })],
  ])("%s that is thrown is a 500 that reveals nothing of it, and a log line", async (_, thrown) => {
    const answer = await answerOf(() => Promise.reject(thrown));

    expect(answer).toMatchObject({
      statusCode: 500,
      headers: { "X-Request-Id": "request-1", "Content-Type": "application/json" },
      body: { code: "internal_error" },
      lines: [{ level: "ERROR", request_id: "request-1", status: 500, cause: expect.any(String) }],
    });
    expect(JSON.stringify(answer.body)).not.toContain("secret");
  });

  test("a handler that takes too long gets a 503 and a log line before Lambda stops the function", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const pending = answerOf(() => new Promise<never>(() => {}), 10_000);
    await vi.advanceTimersByTimeAsync(9_500);

    expect(await pending).toMatchObject({
      statusCode: 503,
      headers: { "Retry-After": "1", "X-Request-Id": "request-1" },
      body: { code: "unavailable" },
      lines: [{ level: "ERROR", status: 503, cause: expect.stringContaining("before the function's time-out") }],
    });
  });
});
