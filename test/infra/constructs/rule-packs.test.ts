import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { Topic } from "aws-cdk-lib/aws-sns";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addRulePacks, explain } from "../../../infra/constructs/rule-packs.ts";
import { everyOption, everyTableRestored } from "../../support/stages.ts";
import { validateStacks } from "../../support/synthesise-stacks.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-rules-"));
});
afterAll(() => rm(folder, { recursive: true }));

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
