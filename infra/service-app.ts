import { App } from "aws-cdk-lib";
import { CURRENTLY_RECOMMENDED_FLAGS } from "aws-cdk-lib/cx-api";
import type { Api } from "../lambdas/declaration/api.ts";
import { bundleFunctions } from "./build/bundle.ts";
import { addRulePacks } from "./constructs/rule-packs.ts";
import { DataStack } from "./data-stack.ts";
import { functionsOf } from "./functions.ts";
import { IntegrationApiStack } from "./integration-api-stack.ts";
import { readOptions } from "./stages/options.ts";

/**
 * All that the CDK recommends to a new app, but for one. Here and not in cdk.json, which an app that is run by itself does not
 * read.
 */
const featureFlags = {
  ...CURRENTLY_RECOMMENDED_FLAGS,
  // An export that is in use cannot be taken away, whatever happens to the code of the data's stack.
  "@aws-cdk/core:defaultCrossStackReferences": "strong",
};

/**
 * The CDK app that deploys an API in one stage: a stack that holds the data, and a stack that can be thrown away.
 *
 * @throws {OptionError} for an option that is not known or not valid.
 */
export const serviceApp = async (api: Api): Promise<App> => {
  const app = new App({ postCliContext: featureFlags });
  const options = readOptions(app.node);
  const { name } = options.stage;
  const functions = await bundleFunctions(functionsOf(api), app.outdir);

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
