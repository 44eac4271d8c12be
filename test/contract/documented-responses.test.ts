import { expect, inject, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { descriptionOf, operationsIn } from "../kit/contract/description.ts";
import { responsesOf, sharedResponses, testDocumentedResponses } from "../kit/contract/documented-responses.ts";
import { sharedService } from "../support/service.ts";

testDocumentedResponses(api, {
  assembly: async () => inject("assemblyDirectory"),
  running: sharedService,
  requests: { "v1-create-key": { "422 taken": { records: { keys: [{ v_code: "another ".repeat(8) }] } } } },
});

test("the description contains every shared response that the service's tests produce", () => {
  const description = descriptionOf(api);
  const described = operationsIn(description).flatMap((one) => responsesOf(description, one));
  const shared = Object.keys(sharedResponses).filter((name) => name !== "400 malformed_json");
  expect(described.map(({ name }) => name)).toEqual(expect.arrayContaining(shared));
});
