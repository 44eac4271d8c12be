import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { Topic } from "aws-cdk-lib/aws-sns";
import { expect, inject, test } from "vitest";
import { addRulePacks, explain } from "../../infra/constructs/rule-packs.ts";
import { api } from "../../lambdas/api.ts";
import { twoVersions } from "../fixtures/two-versions/api.ts";
import { everyOption } from "../support/stages.ts";
import { validateStacks } from "../support/synthesise-stacks.ts";

/** Everything in this folder is removed after the tests. */
const temporaryFolder = () => mkdtemp(join(inject("otherAssemblies"), "validated-"));

test.each([
  ["production", { stage: "prod" }],
  ["production with every option and a nested stack", everyOption, twoVersions],
])("the CDK's validation and cdk-nag find nothing in %s", async (_, options, service = api) => {
  await expect(validateStacks(options, await temporaryFolder(), service)).resolves.toEqual(expect.any(String));
});

test.each([undefined, "explained"])("a finding of cdk-nag fails the synthesis unless it is %s", async (reason) => {
  const app = new App({ outdir: await temporaryFolder() });
  const topic = new Topic(new Stack(app, "Test"), "Topic");
  if (reason !== undefined) explain(topic, { "AwsSolutions-SNS3": reason });
  await addRulePacks(app);

  if (reason === undefined) expect(() => app.synth()).toThrow();
  else expect(() => app.synth()).not.toThrow();
});
