import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { App, Stack } from "aws-cdk-lib";
import { Topic } from "aws-cdk-lib/aws-sns";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addRulePacks, explain } from "../../../infra/constructs/rule-packs.ts";
import { everyOption, everyTableRestored } from "../../support/stages.ts";
import { validateStacks } from "../../support/synthesise-stacks.ts";

const project = fileURLToPath(new URL("../../..", import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-rules-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs the CDK's command line as an operator does, and returns its whole output. */
const cdkSynth = async (context: Readonly<Record<string, string>>): Promise<string> => {
  const options = Object.entries(context).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const cdk = fileURLToPath(new URL("bin/cdk", import.meta.resolve("aws-cdk/package.json")));
  const { CDK_VALIDATION: _, ...environment } = process.env;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [cdk, "synth", "--quiet", "--output", await mkdtemp(join(folder, "synth-")), ...options],
    {
      cwd: project,
      env: { ...environment, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), NO_COLOR: "1" },
    },
  );
  return `${stdout}${stderr}`;
};

describe("cdk synth, with the CDK's validation and cdk-nag", { timeout: 120_000 }, () => {
  test("reports only success", async () => {
    const said = (await cdkSynth({ stage: "prod" })).split("\n").filter(Boolean);

    expect(said).toEqual([
      expect.stringMatching(/^Successfully synthesized to /),
      expect.stringMatching(/^Supply a stack id \(IntegrationApiData, IntegrationApi\)/),
    ]);
  });

  test("refuses an unknown option in one sentence", async () => {
    await expect(cdkSynth({ colour: "blue" })).rejects.toThrow(
      /^-c colour: there is no such option\. The options are: stage, /m,
    );
  });
});

test.each([
  ["staging", { stage: "staging" }],
  ["development", { stage: "dev" }],
  ["production with every option", everyOption],
  ["production with every table restored", everyTableRestored],
])("the CDK's validation and cdk-nag find nothing in %s", async (_, options) => {
  await expect(validateStacks(options, await mkdtemp(join(folder, "stage-")))).resolves.toEqual(expect.any(String));
});

describe("a finding of cdk-nag", () => {
  const rule = "AwsSolutions-SNS3";
  const appWithFinding = async (reason?: string): Promise<App> => {
    const app = new App({ outdir: join(folder, `finding-${reason ?? "unexplained"}`) });
    const topic = new Topic(new Stack(app, "Test"), "Topic");
    if (reason !== undefined) explain(topic, { [rule]: reason });
    await addRulePacks(app);
    return app;
  };

  test("fails the synthesis", async () => {
    const app = await appWithFinding();

    expect(() => app.synth()).toThrow();
  });

  test("does not fail the synthesis if the construct acknowledges it with a reason", async () => {
    const app = await appWithFinding("explained");

    expect(() => app.synth()).not.toThrow();
  });
});
