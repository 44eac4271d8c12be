import { expect, test } from "vitest";
import {
  apiResources,
  functionResources,
  runningService,
  tableResource,
  temporaryDirectory,
  writeAssembly,
} from "./fixtures.ts";

test("outputs, tables and functions go by their local names and addresses", async () => {
  const assemblyDirectory = await writeAssembly(await temporaryDirectory(), {
    resources: {
      ...functionResources("keys", { properties: { Environment: { Variables: { TABLE: { Ref: "KeyTable" } } } } }),
      ...apiResources({ $default: "keys" }),
      KeyTable: tableResource(),
    },
    code: { keys: { "index.mjs": "export const handler = async () => process.env.TABLE" } },
    Outputs: { BaseUrl: { Value: { "Fn::GetAtt": ["Api", "ApiEndpoint"] } } },
  });
  const service = await runningService({ assemblyDirectory });

  expect(service.outputs).toEqual({ BaseUrl: service.baseUrl });
  expect(service.tableNames).toEqual(["KeyTable"]);
  expect(service.functionNames).toEqual(["keys"]);
  expect(await (await fetch(service.baseUrl)).text()).toBe("KeyTable");
});
