import { afterEach, expect, test, vi } from "vitest";
import { captureLog } from "../support/outcomes.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

test.for([
  [undefined, ["info", "warn", "error"]],
  ["info", ["info", "warn", "error"]],
  ["warn", ["warn", "error"]],
  ["error", ["error"]],
] as const)("a function with the level %s logs only lines at the levels %o", async ([level, logged]) => {
  vi.stubEnv("LOG_LEVEL", level);
  const { log } = await import("../../../lambdas/shared/log.ts");
  const captured = captureLog();
  for (const one of ["info", "warn", "error"] as const) log(one, { message: "x" });
  expect(captured.lines()).toEqual(logged.map((one) => ({ level: one.toUpperCase(), message: "x" })));
});

test("logs who did what at any log level", async () => {
  vi.stubEnv("LOG_LEVEL", "error");
  const { audit } = await import("../../../lambdas/shared/log.ts");
  const captured = captureLog();
  audit({ message: "x" });
  expect(captured.lines()).toEqual([{ level: "INFO", message: "x" }]);
});

test("describes an error by its stack, and any other value as it is", async () => {
  const { describeCause } = await import("../../../lambdas/shared/log.ts");
  const error = new TypeError("broken");
  expect(describeCause(error)).toBe(error.stack);
  const failed = new TypeError("fetch failed", { cause: Object.assign(new Error("x.example"), { code: "ENOTFOUND" }) });
  expect(describeCause(failed)).toBe(`${failed.stack}\nCaused by ENOTFOUND: x.example`);
  expect(describeCause({ a: 1 })).toBe("{ a: 1 }");
  expect(describeCause(undefined)).toBe("undefined");
});
