import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { App, Stack } from "aws-cdk-lib";
import { Topic } from "aws-cdk-lib/aws-sns";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { addRulePacks, explain } from "../../infra/constructs/rule-packs.ts";
import { api } from "../../lambdas/api.ts";
import { copyProject } from "../../tools/support/copy-project.ts";
import { twoVersions } from "../fixtures/two-versions/api.ts";
import { compileCache } from "../support/compile-cache.ts";
import { everyOption, everyTableRestored } from "../support/stages.ts";
import { validateStacks } from "../support/synthesise-stacks.ts";

/** Runs a program of the project in a folder and in an environment as on another machine, and returns its whole output. */
const runElsewhere = async (words: string[], variables: Record<string, string> = {}): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, {
    cwd: elsewhere,
    env: {
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: elsewhere,
      TZ: "Pacific/Auckland",
      LANG: "tr_TR.UTF-8",
      NO_COLOR: "1",
      ...compileCache,
      ...variables,
    },
  });
  return `${stdout}${stderr}`;
};

let elsewhere: string;
let output: string;
beforeAll(async () => {
  elsewhere = await mkdtemp(join(tmpdir(), "another-machine-"));
  await copyProject(elsewhere);
  const cdk = fileURLToPath(new URL("bin/cdk", import.meta.resolve("aws-cdk/package.json")));
  output = await runElsewhere([cdk, "synth", "--quiet"]);
});
afterAll(() => rm(elsewhere, { recursive: true }));

test("cdk synth, with the CDK's validation and cdk-nag, reports only success", () => {
  expect(output.split("\n").filter(Boolean)).toEqual([
    expect.stringMatching(/^Successfully synthesized to /),
    expect.stringMatching(/^Supply a stack id \(IntegrationApiData, IntegrationApi\)/),
  ]);
});

test("an unknown option is refused in one sentence", async () => {
  const context = { CDK_OUTDIR: join(elsewhere, "refused"), CDK_CONTEXT_JSON: '{ "colour": "blue" }' };

  await expect(runElsewhere(["infra/app.ts"], context)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^-c colour: there is no such option\. The options are: stage, .*\n$/),
  });
});

/** Everything that is deployed: the templates and the names of the assets, which contain hashes of their content. */
const deployedFrom = async (assembly: string): Promise<Record<string, unknown>> => {
  const names = await readdir(assembly);
  const templates = names.filter((name) => name.endsWith(".template.json"));
  const texts = await Promise.all(templates.map((name) => readFile(join(assembly, name), "utf8")));
  return {
    assets: names.filter((name) => name.startsWith("asset.")).toSorted(),
    templates: Object.fromEntries(templates.map((name, index) => [name, texts[index]])),
  };
};

test("another machine synthesises identical templates and assets, so cdk diff reports no change", async () => {
  expect(await deployedFrom(join(elsewhere, "cdk.out"))).toEqual(await deployedFrom(inject("assemblyDirectory")));
});

test.each([
  ["staging", { stage: "staging" }],
  ["development", { stage: "dev" }],
  ["production with every option and a nested stack", everyOption, twoVersions],
  ["production with every table restored", everyTableRestored],
])("the CDK's validation and cdk-nag find nothing in %s", async (_, options, service = api) => {
  const folder = await mkdtemp(join(elsewhere, "stage-"));
  await expect(validateStacks(options, folder, service)).resolves.toEqual(expect.any(String));
});

test.each([undefined, "explained"])("a finding of cdk-nag fails the synthesis unless it is %s", async (reason) => {
  const rule = "AwsSolutions-SNS3";
  const app = new App({ outdir: join(elsewhere, `finding-${reason}`) });
  const topic = new Topic(new Stack(app, "Test"), "Topic");
  if (reason !== undefined) explain(topic, { [rule]: reason });
  await addRulePacks(app);

  if (reason === undefined) expect(() => app.synth()).toThrow();
  else expect(() => app.synth()).not.toThrow();
});
