import { App } from "aws-cdk-lib";
import { CURRENTLY_RECOMMENDED_FLAGS } from "aws-cdk-lib/cx-api";
import type { Service } from "../lambdas/declaration/service.ts";
import { type BundledFunction, bundleFunctions } from "./build/bundles/bundle-functions.ts";
import { addRulePacks } from "./constructs/rule-packs.ts";
import { DataStack } from "./data-stack.ts";
import { functionsOf } from "./functions.ts";
import { IntegrationApiStack } from "./integration-api-stack.ts";
import { type Options, readOptions } from "./stages/options.ts";

/**
 * The flags that the CDK recommends to new apps, with one exception. They are set here because an app that runs without the
 * CDK's command line does not read cdk.json.
 */
const featureFlags = {
  ...CURRENTLY_RECOMMENDED_FLAGS,
  // Keeps an export that is in use from being removed, whatever happens to the code of the data stack.
  "@aws-cdk/core:defaultCrossStackReferences": "strong",
};

/** An app without stacks, which writes its cloud assembly to the given folder. */
export const createApp = (outdir: string): App => new App({ outdir, postCliContext: featureFlags });

/** Adds the stacks of the service to an app: one that holds the data, and one that can be thrown away. */
export const addStacks = (
  app: App,
  { service, functions, options }: { service: Service; functions: BundledFunction[]; options: Options },
): void => {
  const { name } = options.stage;
  const data = new DataStack(app, "IntegrationApiData", {
    stackName: `${service.name}-${name}-data`,
    description: `The data of the ${service.title} (${name}).`,
    service,
    options,
  });
  new IntegrationApiStack(app, "IntegrationApi", {
    stackName: `${service.name}-${name}`,
    description: `A REST API that lets other systems integrate with a service (${name}).`,
    service,
    functions,
    data,
    options,
  });
};

/**
 * The CDK app that deploys an API in one stage, with the options in the CDK's context.
 *
 * Writes the cloud assembly to `CDK_OUTDIR`, which the CDK's command line sets, or to `cdk.out`.
 *
 * @throws {OptionError} for an option that is unknown or invalid.
 */
export const serviceApp = async (service: Service): Promise<App> => {
  // Without a folder, the CDK would leave a temporary one behind.
  const app = createApp(process.env.CDK_OUTDIR ?? "cdk.out");
  const options = readOptions(app.node.getAllContext(), Object.keys(service.tables));
  const functions = await bundleFunctions(functionsOf(service), { folder: app.outdir, trimSdk: options.trimSdk });
  addStacks(app, { service, functions, options });
  await addRulePacks(app);
  return app;
};
