import { App } from "aws-cdk-lib";
import { CURRENTLY_RECOMMENDED_FLAGS } from "aws-cdk-lib/cx-api";
import type { Api } from "../lambdas/declaration/api.ts";
import { bundleFunctions } from "./build/bundles/bundle-functions.ts";
import { addRulePacks } from "./constructs/rule-packs.ts";
import { DataStack } from "./data-stack.ts";
import { functionsOf } from "./functions.ts";
import { IntegrationApiStack } from "./integration-api-stack.ts";
import { readOptions } from "./stages/options.ts";

/**
 * The flags that the CDK recommends to new apps, with one exception. They are set here because an app that runs without the
 * CDK's command line does not read cdk.json.
 */
const featureFlags = {
  ...CURRENTLY_RECOMMENDED_FLAGS,
  // An export that is in use cannot be removed, whatever happens to the code of the data stack.
  "@aws-cdk/core:defaultCrossStackReferences": "strong",
};

/**
 * The CDK app that deploys an API in one stage: a stack that holds the data, and a stack that can be thrown away.
 *
 * Writes the cloud assembly to `CDK_OUTDIR`, which the CDK's command line sets, or to `cdk.out`.
 *
 * @throws {OptionError} for an option that is unknown or invalid.
 */
export const serviceApp = async (api: Api): Promise<App> => {
  // Without a folder, the CDK would leave a temporary one behind.
  const app = new App({ outdir: process.env.CDK_OUTDIR ?? "cdk.out", postCliContext: featureFlags });
  const options = readOptions(app.node.getAllContext());
  const { name } = options.stage;
  const functions = await bundleFunctions(functionsOf(api), { folder: app.outdir, trimSdk: options.trimSdk });

  const data = new DataStack(app, "IntegrationApiData", {
    stackName: `IntegrationApi-${name}-data`,
    description: `The data of the Integration API (${name}).`,
    options,
  });
  new IntegrationApiStack(app, "IntegrationApi", {
    stackName: `IntegrationApi-${name}`,
    description: `A REST API that lets other systems integrate with a service (${name}).`,
    functions,
    data,
    options,
  });
  await addRulePacks(app);
  return app;
};
