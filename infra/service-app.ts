import { App } from "aws-cdk-lib";
import type { Api } from "../lambdas/declaration/api.ts";
import { bundleFunctions } from "./bundle.ts";
import { functionsOf } from "./functions.ts";
import { IntegrationApiStack } from "./integration-api-stack.ts";

/** The CDK app that deploys an API. */
export const serviceApp = async (api: Api): Promise<App> => {
  const app = new App();
  const functions = await bundleFunctions(functionsOf(api), app.outdir);
  new IntegrationApiStack(app, "IntegrationApi", {
    description: "A REST API that lets other systems integrate with a service.",
    functions,
  });
  return app;
};
