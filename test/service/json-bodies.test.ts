import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { pythonFiles, typescriptFiles } from "../../local/client/client-files.ts";
import { describeApi } from "../../openapi/describe-api.ts";
import { startBrowser } from "../../tools/support/browser.ts";
import { type Operation, operationsOf } from "../../web/documentation/description.ts";
import { callOf, exampleValues, samplesOf } from "../../web/documentation/samples/sample-of.ts";
import { libraryApi } from "../fixtures/library/api.ts";
import { newObservedPage, noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { curlConfiguration, sampleRunner } from "../support/run-sample.ts";
import { type OwnService, startService } from "../support/service.ts";
import { synthesiseLibrary } from "../support/stages.ts";

let service: OwnService;
beforeAll(async () => {
  service = await startService({ assemblyDirectory: await synthesiseLibrary(), described: libraryApi });
});
afterAll(() => service.close());

const description = JSON.parse(JSON.stringify(describeApi(libraryApi)));
description.info["x-client"] = "library-client";
const operationWith = (id: string): Operation =>
  operationsOf(description).find((operation) => operation.id === id) ?? expect.fail(id);

/** The clients of the service, in a folder of samples. */
const clients = async (): Promise<Record<string, string>> => {
  const [ts, py] = [await typescriptFiles(description, "1.0.0"), await pythonFiles(description, "1.0.0")];
  const inFolder = (files: object, rename: (name: string) => string) =>
    Object.fromEntries(Object.entries(files).map(([name, content]) => [rename(name), content]));
  return {
    ...curlConfiguration,
    ...inFolder(ts, (name) => `node_modules/library-client/${name}`),
    ...inFolder(py, (name) => name.replace("src/", "")),
  };
};

test.for(["sh", "ts", "python", "php"] as const)("the samples in %s send JSON", async (language, context) => {
  const run = await sampleRunner(context, language, service, {}, await clients());
  for (const operation of ["v1-put-book", "v1-change-book"].map(operationWith)) {
    const call = callOf(operation, exampleValues(operation));
    const codeOf = (one: typeof call) => samplesOf(one).find((sample) => sample.language === language)?.code ?? "";
    expect(await run(codeOf(call))).toContain("Notes on the Analytical Engine");
    const { publisher, ...members } = JSON.parse(call.json?.text ?? "");
    const name = 'it\'s """ $HOME \\ \n é😀';
    const text = JSON.stringify({ ...members, publisher: { ...publisher, name } });
    const printed = await run(codeOf({ ...call, json: { mediaType: "application/json", text } }));
    for (const part of ["it", "$HOME", "é😀"]) expect(printed).toContain(part);
  }
});

test("the documentation shows nested members as rows", () => {
  const rows = operationWith("v1-add-book").fields.map(({ name, required }) => `${name}${required ? "*" : ""}`);
  expect(rows).toEqual(expect.arrayContaining(["subtitle", "publisher*", "publisher.name*", "authors[].born"]));
  const ofPatch = operationWith("v1-change-book").fields.filter(({ required }) => required);
  expect(ofPatch.map(({ name }) => name)).toEqual(["book_id", "authors[].name"]);
});

test("the documentation sends the JSON body that its reader has edited, and shows what is wrong with it", async () => {
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const [page] = await newObservedPage(browser);
  await page.goto(`${service.baseUrl}/api/documentation/books/add`);
  await page.getByLabel("Your token").fill(await service.issueToken());
  const editor = page.getByLabel("In the JSON body");
  await editor.fill((await editor.inputValue()).replace("GB", "none"));
  await page.getByText('"country": "none"').first().waitFor();
  await page.getByRole("button", { name: "Send this call" }).click();
  await page.locator("#json-problems", { hasText: "The publisher.country must match" }).waitFor();
  expect(await seriousFlaws(page)).toEqual(noFlaws);
  await editor.fill((await editor.inputValue()).replace("none", "AT"));
  await page.getByRole("button", { name: "Send this call" }).click();
  await page.locator(".outcome .status", { hasText: "201" }).waitFor();
});
