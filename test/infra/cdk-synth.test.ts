import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { App, Stack } from "aws-cdk-lib";
import { Topic } from "aws-cdk-lib/aws-sns";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { addRulePacks, explain } from "../../infra/constructs/rule-packs.ts";
import { api } from "../../lambdas/api.ts";
import type { Service } from "../../lambdas/declaration/service.ts";
import { synthesise } from "../../local/synthesise.ts";
import { makeArchive } from "../../tools/release/archive.ts";
import { twoVersions } from "../fixtures/two-versions/api.ts";
import { start, temporaryDirectory } from "../local/project-fixture.ts";
import { compileCache } from "../support/compile-cache.ts";
import { copyProject } from "../support/copy-project.ts";
import { freePort } from "../support/free-port.ts";
import { everyOption, everyTableRestored } from "../support/stages.ts";
import { validateStacks } from "../support/synthesise-stacks.ts";

/** Runs a project's program in a folder and an environment like another machine's, and returns its complete output. */
const runElsewhere = async (
  words: string[],
  variables: Record<string, string> = {},
  cwd = elsewhere,
): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, {
    cwd,
    env: {
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: elsewhere,
      TZ: "Pacific/Auckland",
      LANG: "tr_TR.UTF-8",
      NO_COLOR: "1",
      ...compileCache,
      // Depend on the machine's architecture. See bundles/code-caches.test.ts.
      CODE_CACHES: "false",
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

test("cdk synth reports only success, including the CDK's validation and cdk-nag", () => {
  expect(output.split("\n").filter(Boolean)).toEqual([
    expect.stringMatching(/^Successfully synthesized to /),
    expect.stringMatching(/^Supply a stack id \(IntegrationApiData, IntegrationApi\)/),
  ]);
});

test("rejects an unknown option in the stage's file with one sentence, except in a local run", async () => {
  const folder = join(elsewhere, "operator");
  await mkdir(folder);
  await writeFile(join(folder, "options.dev.json"), '{ "colour": "blue" }');
  await writeFile(join(folder, "cdk.json"), '{ "app": "node ../infra/app.ts" }');
  await writeFile(join(folder, "package.json"), '{ "version": "1.0.0", "type": "module" }');
  const context = { CDK_OUTDIR: join(folder, "refused"), CDK_CONTEXT_JSON: '{ "stage": "dev" }' };

  await expect(runElsewhere(["../infra/app.ts"], context, folder)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^"colour" in options\.dev\.json: there is no such option\. The options are: .*\n$/),
  });
  const local = synthesise(join(folder, "local"), { folder, context: { stage: "dev" }, defersEndpoints: true });
  await expect(local).resolves.toEqual(expect.any(String));
});

/** Returns everything that is deployed: the templates and the assets' names, which contain hashes of their content. */
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

describe("the archive of a release", () => {
  const metadata = '{ "aws:cdk:enable-asset-metadata": true, "aws:cdk:enable-path-metadata": true }';
  const repository = fileURLToPath(new URL("../..", import.meta.url));
  // test/outsider packs the real packages.
  const settings = { seconds: 1_800_000_000, packages: join(repository, "examples/pipeline") };
  let archive: Awaited<ReturnType<typeof makeArchive>>;
  beforeAll(async () => {
    const folder = join(elsewhere, "archive");
    archive = await makeArchive({ ...settings, folder, project: repository, assembly: inject("assemblyDirectory") });
  });

  test("is identical when built in another checkout, and contains the path of neither folder", async () => {
    const folder = join(elsewhere, "other-archive");
    const other = await makeArchive({ ...settings, folder, project: elsewhere, assembly: join(elsewhere, "cdk.out") });

    expect(archive.bytes.equals(other.bytes)).toBe(true);
  });

  test("produces the same templates and assets as the repository without any source files", async () => {
    const cwd = join(elsewhere, "archive", archive.name);
    await promisify(execFile)(process.execPath, ["local/built/app.js"], {
      cwd,
      env: {
        ...compileCache,
        CODE_CACHES: "false",
        CDK_OUTDIR: join(cwd, "cdk.out"),
        CDK_VALIDATION: "false",
        CDK_CONTEXT_JSON: metadata,
      },
    });

    const synthesised = await deployedFrom(join(cwd, "cdk.out"));
    expect(synthesised).toEqual(await deployedFrom(join(cwd, "assembly")));
    expect(synthesised).toEqual(await deployedFrom(inject("assemblyDirectory")));
  });

  test("runs the service on a machine that has only Node.js", async () => {
    const [folder, port] = [await temporaryDirectory(), await freePort()];
    await writeFile(join(folder, "archive.tar.gz"), archive.bytes);
    await promisify(execFile)("tar", ["-xzf", "archive.tar.gz"], { cwd: folder });
    const service = start(join(folder, archive.name), port);
    await service.says("Stop: Ctrl-C");
    const [token = ""] = /itk_\w+/.exec(service.output()) ?? [];

    const headers = { Accept: "application/json", "X-Token": token };
    expect(await fetch(`http://127.0.0.1:${port}/api/v1/key`, { headers })).toHaveProperty("status", 200);
    // A local run in the repository replaces this file.
    expect((await fetch(`http://127.0.0.1:${port}/api/documentation/api-docs.json`)).status).toBe(200);
  });
});

test.each([
  ["staging", { stage: "staging" }],
  ["development", { stage: "dev" }],
  ["production with every option and a nested stack", everyOption, twoVersions],
  ["production with every table restored", everyTableRestored],
])("the CDK's validation and cdk-nag report no findings for %s", async (_, options, service: Service = api) => {
  const folder = await mkdtemp(join(elsewhere, "stage-"));
  await expect(validateStacks(options, folder, service)).resolves.toEqual(expect.any(String));
});

test.each<[string, string, Finding]>([
  ["of the package", "fails the synthesis", {}],
  ["of the package", "is accepted with an explanation", { reason: "explained" }],
  ["of an application", "is accepted", { isAddition: true }],
  [
    "of an application",
    "fails the synthesis if the application asks for it",
    { isAddition: true, checksAdditions: true },
  ],
])("a finding of cdk-nag in a resource %s %s", async (_, outcome, { reason, isAddition, ...options }) => {
  const app = new App({ outdir: await mkdtemp(join(elsewhere, "finding-")) });
  if (isAddition) await addRulePacks(app, options);
  const topic = new Topic(new Stack(app, "Test"), "Topic");
  if (reason !== undefined) explain(topic, { "AwsSolutions-SNS3": reason });
  if (!isAddition) await addRulePacks(app, options);

  if (outcome.startsWith("fails")) expect(() => app.synth()).toThrow();
  else expect(() => app.synth()).not.toThrow();
});

interface Finding {
  reason?: string;
  isAddition?: true;
  checksAdditions?: true;
}
