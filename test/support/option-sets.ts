import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { inject, vi } from "vitest";
import { addRulePacks } from "../../infra/constructs/rule-packs.ts";
import { functionsOf } from "../../infra/functions.ts";
import { addStacks, createApp } from "../../infra/service-app.ts";
import { readOptions } from "../../infra/stages/options.ts";
import { stageNames } from "../../infra/stages/stage.ts";
import { api } from "../../lambdas/api.ts";
import { everyOption, everyTableRestored, keysRestored } from "./stages.ts";

export type OptionSet = Readonly<Record<string, string>>;

const { stage, certificateArn, domainName, ...others } = everyOption;

/** Each option that changes templates, alone, with a value that differs from the default of production. */
export const singleOptions: Readonly<Record<string, OptionSet>> = {
  domainName: { stage, domainName, certificateArn },
  keysTable: { stage, keysTable: keysRestored.keysTable },
  ...Object.fromEntries(
    Object.entries({ ...others, shiftTraffic: "false", useCodeDeploy: "false", logLevel: "warn" }).map(
      ([name, value]) => [name, { stage, [name]: value }],
    ),
  ),
};

/** The stages without options, production with each option alone, with all of them, and with restored tables. */
export const optionSets: OptionSet[] = [
  ...stageNames.map((name) => ({ stage: name })),
  ...Object.values(singleOptions),
  everyOption,
  keysRestored,
  everyTableRestored,
];

export const describeOptions = (options: OptionSet): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

/**
 * Synthesises the stacks with these options in this process, with the code of the shared assembly, and returns the folder. That
 * takes a fraction of a whole synthesis.
 */
export const synthesiseTemplates = async (options: OptionSet): Promise<string> => {
  vi.stubEnv("CDK_VALIDATION", "false");
  return synthesiseStacks(options);
};

/** The same, with the CDK's validation and cdk-nag. A finding is thrown. */
export const validateTemplates = async (options: OptionSet): Promise<string> => {
  vi.stubEnv("CDK_VALIDATION", undefined);
  return synthesiseStacks(options);
};

const synthesiseStacks = async (options: OptionSet): Promise<string> => {
  const folder = await mkdtemp(join(inject("otherAssemblies"), "templates-"));
  const bundles = join(inject("assemblyDirectory"), "bundles");
  const app = createApp(folder);
  app.node.setContext("aws:cdk:enable-path-metadata", true);
  app.node.setContext("aws:cdk:enable-asset-metadata", true);
  const functions = functionsOf(api).map((declared) => ({ ...declared, bundleFolder: join(bundles, declared.name) }));
  addStacks(app, { functions, options: readOptions(options) });
  await addRulePacks(app);
  app.synth();
  return folder;
};
