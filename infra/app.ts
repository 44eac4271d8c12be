import { App } from "aws-cdk-lib";
import { api } from "../lambdas/api.ts";
import { bundleFunctions } from "./bundle.ts";
import { functionsOf } from "./functions.ts";
import { IntegrationApiStack } from "./integration-api-stack.ts";

const app = new App();
const functions = await bundleFunctions(functionsOf(api), app.outdir);

new IntegrationApiStack(app, "IntegrationApi", {
  description: "A REST API that lets other systems integrate with a service.",
  functions,
});
