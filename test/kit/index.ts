// An entry point of the package, with which an application tests its service.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, vi } from "vitest";
import type { Service } from "../../lambdas/declaration/service.ts";
import { synthesise } from "../../local/synthesise.ts";
import { type TestOptions, testAssembly } from "./test-assembly.ts";

export { callHandler } from "./call-handler.ts";
export type { TestOptions } from "./test-assembly.ts";

/**
 * Tests each endpoint of a service, with the CDK app in the current folder. Each endpoint must give the documented responses, have
 * exactly the rights that it needs, allow a retry after any database fault, and withstand hostile requests.
 *
 * @example testService(shop);
 */
export const testService = (service: Service, options: TestOptions = {}): void => {
  // Synthesising the app and starting the service exceed Vitest's default timeouts. Each concurrent test has its own functions.
  vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000, maxConcurrency: 2 });
  let folder: string | undefined;
  const synthesiseOnce = async (): Promise<string> => {
    folder = await mkdtemp(join(tmpdir(), "integration-api-assembly-"));
    return synthesise(folder);
  };
  let synthesis: Promise<string> | undefined;
  const assembly = (): Promise<string> => {
    synthesis ??= synthesiseOnce();
    return synthesis;
  };
  afterAll(async () => folder !== undefined && rm(folder, { recursive: true }));
  testAssembly(service, { ...options, assembly });
};
