import { describe, expect, inject, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { deploy } from "../kit/faults/deployment.ts";
import { quickFaultsOn, slowFaults } from "../kit/faults/fault-proxy.ts";
import { endpointExamples, invocationExamples, problemsWith, testSlowDatabase } from "../kit/faults/faults.ts";

const assembly = async () => inject("assemblyDirectory");

describe("endpoints", () => testSlowDatabase(api, { assembly }));
describe("actions", () => testSlowDatabase(api, { assembly, examples: invocationExamples(api) }));

// It looks up its token, counts a call, and makes every kind of write.
const rotation = endpointExamples(api).filter(({ name }) => name === "v1-rotate-token");

describe("a rotation", () => {
  testSlowDatabase(api, { assembly, examples: rotation, faults: slowFaults });

  describe.concurrent("succeeds or fails with a 503, and can be repeated, if one call meets", () => {
    // The SDK makes three attempts. Later calls meet no fault, so the function must not reach them.
    const lasting = Object.entries(quickFaultsOn(api.tables)).map(([name, fault]) => ({
      name: `${name} each time`,
      fault,
      attempts: 3,
    }));
    test.each([...Object.entries(slowFaults).map(([name, fault]) => ({ name, fault, attempts: 1 })), ...lasting])(
      "$name",
      async ({ name, fault, attempts }) => {
        const deployment = await deploy(api, await assembly());
        for (const example of rotation) {
          expect(await problemsWith(deployment, example, attempts, { [name]: fault })).toEqual([]);
        }
        await deployment.close();
      },
    );
  });
});
