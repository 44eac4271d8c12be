import { existsSync } from "node:fs";
import { inject, vi } from "vitest";
import { bundleFolderOf } from "../../infra/bundles/assembly-files.ts";
import { addRulePacks } from "../../infra/constructs/rule-packs.ts";
import { functionsOf } from "../../infra/functions.ts";
import { addStacks, createApp } from "../../infra/service-app.ts";
import { type ServiceApp, serviceParts } from "../../infra/service-parts.ts";
import { readOptions } from "../../infra/stages/options.ts";
import { examplesOf } from "../../infra/stages/settings.ts";
import { api } from "../../lambdas/api.ts";
import type { Service } from "../../lambdas/declaration/service.ts";

/**
 * Synthesises the stacks with these options into a folder, with the code of the shared assembly. Functions of another service,
 * which that does not have, get the code of one that it has. `extend` adds constructs of an application.
 */
export const synthesiseStacks = async (
  options: Readonly<Record<string, string>>,
  folder: string,
  service: Service = api,
  extend: (parts: ServiceApp) => void = () => {},
  streams: readonly string[] = [],
): Promise<string> => {
  const app = createApp(folder);
  app.node.setContext("aws:cdk:enable-path-metadata", true);
  app.node.setContext("aws:cdk:enable-asset-metadata", true);
  const functions = functionsOf(service).map((declared) => {
    const folderOf = (name: string) => bundleFolderOf(inject("assemblyDirectory"), name);
    return { ...declared, bundleFolder: folderOf(existsSync(folderOf(declared.name)) ? declared.name : "fallback") };
  });
  const read = readOptions(options, Object.keys(service.tables));
  const settings = { ...examplesOf(service.settings), ...read.settings };
  const stacks = addStacks(app, { service, functions, options: { ...read, settings }, streams });
  await addRulePacks(app);
  extend(serviceParts(app, { service, stage: read.stage.name, stacks }));
  app.synth();
  return folder;
};

/** Synthesises with the CDK's validation and cdk-nag. Throws any finding. */
export const validateStacks: typeof synthesiseStacks = (...about) => {
  vi.stubEnv("CDK_VALIDATION", undefined);
  return synthesiseStacks(...about);
};
