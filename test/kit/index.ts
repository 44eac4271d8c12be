// An entry point of the package, with which an application tests its service.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Service } from "../../lambdas/declaration/service.ts";
import { synthesise } from "../../local/synthesise.ts";
import { testDocumentedResponses } from "./contract/documented-responses.ts";
import { testFaults, testSlowDatabase } from "./faults/faults.ts";
import { fuzz } from "./fuzz/fuzz.ts";
import { testPermissions } from "./permissions.ts";
import type { ServiceRequests } from "./support/changed-request.ts";

export interface TestOptions {
  /** Requests for documented responses that the examples of the endpoints do not produce. */
  requests?: ServiceRequests;
  /** Repeats the random choices of a run that failed. */
  seed?: number;
}

/**
 * Tests each endpoint of a service, with the CDK app in the current folder. Each endpoint must give the documented responses, have
 * exactly the rights that it needs, allow a retry after any database fault, and withstand hostile requests.
 *
 * @example testService(shop);
 */
export const testService = (service: Service, { requests = {}, seed = Date.now() % 1e9 }: TestOptions = {}): void => {
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

  describe("contract", () => testDocumentedResponses(service, { assembly, requests }));
  describe("permissions", () => testPermissions(service, { assembly, requests }));
  describe("faults", () => {
    testFaults(service, { assembly });
    testSlowDatabase(service, { assembly });
  });
  test("hostile requests get documented responses, change nothing and reveal nothing they must not", async () => {
    const { problems } = await fuzz(service, { assemblyDirectory: await assembly(), seed });
    expect(problems, `with the seed ${seed}`).toEqual([]);
  });
};
