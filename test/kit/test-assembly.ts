import { describe, expect, test } from "vitest";
import type { Service } from "../../lambdas/declaration/service.ts";
import { testDocumentedResponses } from "./contract/documented-responses.ts";
import { testFaults, testSlowDatabase } from "./faults/faults.ts";
import { fuzz } from "./fuzz/fuzz.ts";
import { testPermissions } from "./permissions.ts";
import type { ServiceRequests } from "./support/changed-request.ts";

export interface TestOptions {
  /** Requests for documented responses that the examples of the endpoints do not produce. */
  requests?: ServiceRequests;
  /** Values of settings that differ from the examples, such as the address of a server that stands in for another system. */
  settings?: Readonly<Record<string, string>>;
  /** Repeats the random choices of a run that failed. */
  seed?: number;
}

/** Tests each endpoint of a service in its cloud assembly. */
export const testAssembly = (
  service: Service,
  { assembly, requests = {}, seed = Date.now() % 1e9 }: TestOptions & { assembly: () => Promise<string> },
): void => {
  describe("contract", () => testDocumentedResponses(service, { assembly, requests }));
  describe("permissions", () => testPermissions(service, { assembly, requests }));
  describe("faults", () => {
    testFaults(service, { assembly, requests });
    testSlowDatabase(service, { assembly });
  });
  test("hostile requests get documented responses, change nothing and reveal nothing they must not", async () => {
    const { problems } = await fuzz(service, { assemblyDirectory: await assembly(), seed });
    expect(problems, `with the seed ${seed}`).toEqual([]);
  });
};
