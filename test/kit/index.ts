// An entry point of the package, with which an application tests its service.

import { vi } from "vitest";
import type { Service } from "../../lambdas/declaration/service.ts";
import { useAssembly } from "./support/assembly.ts";
import { type TestOptions, testAssembly } from "./test-assembly.ts";

export { callHandler, callJob } from "./call-handler.ts";
export type { TestOptions } from "./test-assembly.ts";
export { testClients } from "./test-clients.ts";
export { useService } from "./use-service.ts";

/**
 * Tests each endpoint of a service, with the CDK app in the current folder. Each endpoint must give the documented responses, have
 * exactly the rights that it needs, allow a retry after any database fault, and withstand hostile requests.
 *
 * @example testService(shop);
 */
export const testService = (service: Service, options: TestOptions = {}): void => {
  // Synthesising the app and starting the service exceed Vitest's default timeouts. Each concurrent test has its own functions.
  vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000, maxConcurrency: 2 });
  testAssembly(service, { ...options, assembly: useAssembly(options.settings) });
};
