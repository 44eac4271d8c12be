import { afterAll, beforeAll, expect, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { describeApi } from "../../openapi/describe-api.ts";
import { currentCompiler, findNode, installPackedClient } from "../../packages/client/test/support/packed-client.ts";
import { operationsOf } from "../../web/documentation/description.ts";
import { callOf, samplesOf as documented, exampleValues } from "../../web/documentation/samples/sample-of.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { checkSamples, samplesOf } from "./support/samples.ts";

let project: Awaited<ReturnType<typeof installPackedClient>>;
let service: TestService;
beforeAll(async () => {
  [project, service] = await Promise.all([installPackedClient(), sharedService()]);
});
afterAll(() => project.close());

test.for([
  ["the Node.js of the tests", process.execPath],
  ["Node.js 20", await findNode(20)],
])("an empty project with %s runs the samples of the TypeScript client's README", async ([name, node], { skip }) => {
  if (node === undefined) return skip(`${name} is not on the path`);
  await project.write("samples.js", await samplesOf("client", "js"));
  await checkSamples(service, (environment) => project.run(node, "samples.js", environment));
});

test("the TypeScript samples of the documentation compile with the client", async () => {
  const operations = operationsOf(JSON.parse(JSON.stringify(describeApi(api))));
  for (const operation of operations) {
    const sample = documented(callOf(operation, exampleValues(operation))).find(({ language }) => language === "ts");
    await project.write(`${operation.id}.ts`, sample?.code ?? "there is no sample");
  }
  const options = { strict: true, noEmit: true, module: "nodenext", target: "es2022", types: ["node"] };
  const typeRoots = [`${process.cwd()}/node_modules/@types`];
  const files = operations.map(({ id }) => `${id}.ts`);
  expect(await project.compile(currentCompiler.file, files, { ...options, typeRoots })).toEqual([]);
});
