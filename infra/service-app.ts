import { App } from "aws-cdk-lib";
import * as z from "zod/mini";
import type { Api } from "../lambdas/declaration/api.ts";
import { bundleFunctions } from "./bundle.ts";
import { functionsOf } from "./functions.ts";
import { IntegrationApiStack } from "./integration-api-stack.ts";

/** A name, an at sign and a host: what Cognito mails an invitation to. */
const superuserEmail = z.optional(
  z.email("-c superuserEmail=… must be the e-mail address of the first Superuser, such as ops@example.com."),
);

const readSuperuserEmail = ({ node }: App): string | undefined =>
  z.parse(superuserEmail, node.tryGetContext("superuserEmail"));

/** The CDK app that deploys an API. */
export const serviceApp = async (api: Api): Promise<App> => {
  const app = new App();
  const functions = await bundleFunctions(functionsOf(api), app.outdir);
  new IntegrationApiStack(app, "IntegrationApi", {
    description: "A REST API that lets other systems integrate with a service.",
    functions,
    superuserEmail: readSuperuserEmail(app),
  });
  return app;
};
