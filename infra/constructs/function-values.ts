import { Aws, Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { CfnFunction, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { Endpoint, ValueSchemas } from "../../lambdas/declaration/endpoint.ts";
import { domainVariable } from "../../lambdas/shared/aws/connect-to-service.ts";
import { secretsPathVariable, settingVariable } from "../../lambdas/shared/environment.ts";
import { OptionError } from "../stages/option-error.ts";
import { optionsFileOf } from "../stages/options-file.ts";
import { lineFor, missingNames, type Texts } from "../stages/settings.ts";
import type { StageName } from "../stages/stage.ts";

interface Given {
  settings: Texts | undefined;
  secretsPath: string;
}

/** Returns the variables with the settings of a function, and with the place of its secrets. */
export const variablesOf = (
  { settings: schemas = {}, secrets }: Pick<Endpoint, "settings" | "secrets"> = {},
  { settings = {}, secretsPath }: Given,
): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(settings)
      .filter(([name]) => Object.hasOwn(schemas, name))
      .map(([name, text]) => [settingVariable(name), text]),
  ),
  ...(secrets && { [secretsPathVariable]: secretsPath, [domainVariable]: Aws.URL_SUFFIX }),
});

/** Returns the permission to read these secrets. Parameters that AWS's own key encrypts need no permission for the key. */
export const secretsStatement = (scope: Construct, path: string, names: readonly string[]): PolicyStatement =>
  new PolicyStatement({
    actions: ["ssm:GetParameters"],
    resources: names.map((name) =>
      Stack.of(scope).formatArn({ service: "ssm", resource: "parameter", resourceName: `${path.slice(1)}${name}` }),
    ),
  });

/** Makes the synthesis fail if a setting gets its value neither from the options nor from the application's own constructs. */
export const requireSettings = (lambda: LambdaFunction, schemas: ValueSchemas = {}, stage: StageName): void => {
  const validate = (): string[] => {
    const cfn = lambda.node.findAll().find((one) => one instanceof CfnFunction);
    const { variables = {} } = Stack.of(lambda).resolve(cfn?.environment) ?? {};
    const texts = Object.fromEntries(
      Object.keys(schemas).flatMap((name) => (settingVariable(name) in variables ? [[name, ""]] : [])),
    );
    const sentences = missingNames(schemas, texts).map(
      (name) =>
        `The setting ${name} is missing. Add it to ${optionsFileOf(stage)}: ${lineFor("setting", schemas, name)}`,
    );
    if (sentences.length > 0) throw new OptionError(sentences.join("\n"));
    return [];
  };
  lambda.node.addValidation({ validate });
};
