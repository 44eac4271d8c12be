import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { pythonFiles, typescriptFiles } from "../../local/client/client-files.ts";
import { describeApi } from "../../openapi/describe-api.ts";
import { startBrowser } from "../../tools/support/browser.ts";
import { operationsOf } from "../../web/documentation/description.ts";
import { callOf, exampleValues, samplesOf } from "../../web/documentation/samples/sample-of.ts";
import { parcelsApi } from "../fixtures/parcels/api.ts";
import { testDocumentedResponses } from "../kit/contract/documented-responses.ts";
import { fuzz } from "../kit/fuzz/fuzz.ts";
import { operationExamples } from "../kit/support/examples.ts";
import { newObservedPage, noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { curlConfiguration, sampleRunner } from "../support/run-sample.ts";
import { type OwnService, startService } from "../support/service.ts";
import { synthesiseParcels } from "../support/stages.ts";

let assemblyDirectory: string;
let service: OwnService;
beforeAll(async () => {
  assemblyDirectory = await synthesiseParcels();
  service = await startService({ assemblyDirectory, described: parcelsApi });
});
afterAll(() => service.close());

const path = "/api/v1/parcel";
const parcel =
  operationExamples(parcelsApi).find(({ request }) => request.path === path && request.method === "POST")?.request
    .json ?? {};

test("a body of 10,000 lines reaches the handler, and all its invalid fields are named", async () => {
  const lines = Array.from({ length: 10_000 }, () => ({ sku: "A100", quantity: 1, price: "9.90", labels: [] }));
  expect(await service.call("POST", path, { json: { ...parcel, lines: lines.slice(0, 3_000) } })).toMatchObject({
    status: 200,
  });
  expect((await service.call("POST", path, { json: { ...parcel, lines } })).status).toBe(413);
  const wrong = await service.call("POST", path, {
    json: { ...parcel, weight: 0.7, lines: [{ sku: "a", quantity: 0 }, 1] },
  });
  expect(wrong).toMatchObject({ status: 422 });
  expect(wrong.json()).toEqual({
    weight: ["The weight must be a multiple of 0.5."],
    "lines.0.sku": ["The lines.0.sku must match /^[A-Z]\\d{3}$/."],
    "lines.0.quantity": ["The lines.0.quantity must be at least 1."],
    "lines.0.price": ["The lines.0.price field is required."],
    "lines.0.labels": ["The lines.0.labels field is required."],
    "lines.1": ["The lines.1 must be an object."],
  });
});

test("a patch may be sent as JSON or as a merge patch, and null removes a member", async () => {
  const json = { pickup: null, to: { city: "Wien", note: null }, unknown: 1 };
  for (const mediaType of ["application/json", "application/merge-patch+json; charset=utf-8"]) {
    const changed = await service.call("PATCH", path, { json, mediaType });
    expect(changed.json()).toEqual({ insured: true, to: { city: "Wien" } });
  }
  const refused = await service.call("PATCH", path, { json: { insured: null, to: null } });
  expect(Object.keys(Object(refused.json()))).toEqual(["insured", "to"]);
  expect(await service.call("PATCH", path, { json: {}, headers: { "if-match": '"1"' } })).toMatchObject({
    status: 412,
  });
});

test("a path that takes JSON names its methods, also for PUT", async () => {
  const { status, headers } = await service.call("PUT", path, { json: {} });
  expect([status, headers.allow]).toEqual([405, "PATCH, POST"]);
});

const description = JSON.parse(JSON.stringify(describeApi(parcelsApi)));
description.info["x-client"] = "parcels-client";
const described = operationsOf(description).filter(({ json }) => json);

/** The clients of the service, in a folder of samples. */
const clients = async (): Promise<Record<string, string>> => {
  const release = { version: "1.0.0", mark: "" };
  const [ts, py] = [await typescriptFiles(description, release), await pythonFiles(description, release)];
  const inFolder = (files: object, rename: (name: string) => string) =>
    Object.fromEntries(Object.entries(files).map(([name, content]) => [rename(name), content]));
  return {
    ...curlConfiguration,
    ...inFolder(ts, (name) => `node_modules/parcels-client/${name}`),
    ...inFolder(py, (name) => name.replace("src/", "")),
  };
};

test.for(["sh", "ts", "python", "php"] as const)("the samples in %s send JSON", async (language, context) => {
  const run = await sampleRunner(context, language, service, {}, await clients());
  for (const operation of described) {
    const call = callOf(operation, exampleValues(operation));
    const codeOf = (one: typeof call) => samplesOf(one).find((sample) => sample.language === language)?.code ?? "";
    expect(await run(codeOf(call))).toMatch(/insured/);
    const { to, ...members } = JSON.parse(call.json?.text ?? "");
    const text = JSON.stringify({ ...members, to: { ...to, note: 'it\'s """ $HOME \\ \n é😀' } });
    const printed = await run(codeOf({ ...call, json: { mediaType: "application/json", text } }));
    for (const part of ["it", "$HOME", "é😀"]) expect(printed).toContain(part);
  }
});

test("the documentation shows nested members as rows", () => {
  const rows = described.map(({ fields }) => fields.map(({ name, required }) => `${name}${required ? "*" : ""}`));
  expect(rows).toEqual([
    ["If-Match", "insured", "pickup", "to", "to.city", "to.note"],
    [
      ...["status*", "insured*", "weight*", "pickup", "to*", "to.name*", "to.city*", "to.note"],
      ...["from", "from.name*", "from.city*", "from.note"],
      ...["lines*", "lines[].sku*", "lines[].quantity*", "lines[].price*", "lines[].labels*"],
    ],
  ]);
});

test("the documentation sends the JSON body that its reader has edited, and shows what is wrong with it", async () => {
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const [page] = await newObservedPage(browser);
  await page.goto(`${service.baseUrl}/api/documentation/parcels/create`);
  await page.getByLabel("Your token").fill(await service.issueToken());
  const editor = page.getByLabel("In the JSON body");
  await editor.fill((await editor.inputValue()).replace("A100", "none"));
  await page.getByText('"sku": "none"').first().waitFor();
  await page.getByRole("button", { name: "Send this call" }).click();
  await page.locator("#json-problems", { hasText: "The lines.0.sku must match" }).waitFor();
  expect(await seriousFlaws(page)).toEqual(noFlaws);
  await editor.fill((await editor.inputValue()).replace("none", "B200"));
  await page.getByRole("button", { name: "Send this call" }).click();
  await page.locator(".outcome .status", { hasText: "200" }).waitFor();
});

test("hostile JSON is rejected as documented", async () => {
  expect(await fuzz(parcelsApi, { assemblyDirectory, seed: 1 })).toMatchObject({ problems: [] });
});

// Comes last, because it replaces the contents of the tables.
describe("every documented response", () =>
  testDocumentedResponses(parcelsApi, { assembly: async () => assemblyDirectory, running: async () => service }));
