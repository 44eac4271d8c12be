import { inject, vi } from "vitest";
import { bundleFolderOf } from "../../infra/build/bundles/assembly-files.ts";
import { addRulePacks } from "../../infra/constructs/rule-packs.ts";
import { functionsOf } from "../../infra/functions.ts";
import { addStacks, createApp } from "../../infra/service-app.ts";
import { readOptions } from "../../infra/stages/options.ts";
import { api } from "../../lambdas/api.ts";

/** Synthesises the stacks with these options into a folder, with the code of the shared assembly. */
export const synthesiseStacks = async (options: Readonly<Record<string, string>>, folder: string): Promise<string> => {
  const app = createApp(folder);
  app.node.setContext("aws:cdk:enable-path-metadata", true);
  app.node.setContext("aws:cdk:enable-asset-metadata", true);
  const functions = functionsOf(api).map((declared) => ({
    ...declared,
    bundleFolder: bundleFolderOf(inject("assemblyDirectory"), declared.name),
  }));
  addStacks(app, { service: api, functions, options: readOptions(options, Object.keys(api.tables)) });
  await addRulePacks(app);
  app.synth();
  return folder;
};

/** Synthesises with the CDK's validation and cdk-nag. A finding is thrown. */
export const validateStacks = (options: Readonly<Record<string, string>>, folder: string): Promise<string> => {
  vi.stubEnv("CDK_VALIDATION", undefined);
  return synthesiseStacks(options, folder);
};
