import { afterAll, beforeAll, test, vi } from "vitest";
import { findNode, installPackedClient } from "../../packages/client/test/support/packed-client.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { checkSamples, samplesOf } from "./support/samples.ts";

vi.setConfig({ testTimeout: 300_000 });

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
