import { expect, onTestFinished, vi } from "vitest";
import { ApiError } from "../../../lambdas/shared/errors/api-error.ts";

/**
 * Captures the function's log during a test: its text, and each line as a JSON object. Every line must have the timestamp that
 * Lambda expects, which the objects omit.
 */
export const captureLog = () => {
  let text = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  onTestFinished(() => {
    write.mockRestore();
  });
  return {
    text: () => text,
    lines: (): unknown[] =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => {
          const { timestamp, ...fields } = JSON.parse(line);
          expect(timestamp).toMatch(rfc3339);
          return fields;
        }),
  };
};

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns the API error that a promise rejects with. Anything else fails the test. */
export const apiErrorOf = async (promise: Promise<unknown>): Promise<ApiError> => {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in outcome && outcome.error instanceof ApiError) return outcome.error;
  throw new Error("expected an ApiError", { cause: outcome });
};
