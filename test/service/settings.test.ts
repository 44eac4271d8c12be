import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parcelsApi } from "../fixtures/parcels/api.ts";
import { endpointExamples, testFaults } from "../kit/faults/faults.ts";
import { type OwnService, startService } from "../support/service.ts";
import { synthesiseParcels } from "../support/stages.ts";

const key = "a-secret-that-no-file-contains";
const parameters: Record<string, string> = { "/parcels/prod/quote_key": key, "/parcels/prod/other": "other" };

let service: OwnService;
beforeAll(async () => {
  const assemblyDirectory = await synthesiseParcels();
  const ofRun = { parameters: (name: string) => parameters[name] };
  service = await startService({ assemblyDirectory, described: parcelsApi, ...ofRun });
});
afterAll(() => service.close());

const quote = "/api/v1/quote";

test("a handler gets its settings and secrets with their types", async () => {
  const { status, text } = await service.call("GET", quote);
  expect([status, JSON.parse(text)]).toEqual([200, { quote: `https://example.com/ 1 true fast ${key.length}` }]);
});

test("no secret is in the log or in a response", async () => {
  const answers = [await service.call("GET", quote), await service.call("GET", `${quote}?fail=1`)];
  expect(answers.map(({ status }) => status)).toEqual([200, 500]);
  expect(service.logged()).toContain("Bearer ***");
  expect([service.logged(), ...answers.map(({ text }) => text)].join()).not.toContain(key);
});

test("a function may read only the parameters of its own secrets", async () => {
  const get = async (functionName: string, name: string) => {
    const body = JSON.stringify({ Names: [`/parcels/prod/${name}`], WithDecryption: true });
    const response = await fetch(service.invokeUrl, {
      method: "POST",
      headers: { "x-amz-target": "AmazonSSM.GetParameters", authorization: `Credential=${functionName}/x` },
      body,
    });
    return Object(await response.json());
  };
  expect(await get("v1-get-quote", "quote_key")).toMatchObject({ Parameters: [{ Value: key }], InvalidParameters: [] });
  expect(await get("v1-get-quote", "other")).toMatchObject({ __type: "AccessDeniedException" });
  expect(await get("v1-create-parcel", "quote_key")).toMatchObject({ __type: "AccessDeniedException" });
  expect(await get("operator", "nothing")).toEqual({ Parameters: [], InvalidParameters: ["/parcels/prod/nothing"] });
});

describe("without the Parameter Store", () => {
  const examples = endpointExamples(parcelsApi).filter(({ endpoint }) => endpoint?.secrets);
  testFaults(parcelsApi, { assembly: synthesiseParcels, examples });
});
