import { type AwsEnvironment, arnOf } from "../support/aws-environment.ts";
import { matchesPattern } from "../support/wildcard.ts";
import * as z from "../support/zod.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

const permissionSchema = z.strictObject({
  Action: z.string(),
  FunctionName: z.string(),
  Principal: z.string(),
  SourceArn: z.optional(z.string()),
  SourceAccount: z.optional(z.string()),
});

/** Whether API Gateway may invoke a function on behalf of a route, by the `AWS::Lambda::Permission`s of the stacks. */
export type MayInvoke = (apiId: string, routeKey: string, functionArn: string) => boolean;

/** Whether a log may invoke a function, by its ARN. */
type MayDeliver = (logGroupArn: string, functionArn: string) => boolean;

/** Reads the permissions of logs. CloudFormation refuses a subscription without one. */
export const readDeliveryPermissions = (resources: StackResource[]): MayDeliver => {
  const permissions = permissionsOf(resources, "logs.amazonaws.com");
  return (logGroupArn, functionArn) =>
    permissions.some(
      ({ FunctionName, SourceArn }) =>
        FunctionName === functionArn && (SourceArn === undefined || matchesPattern(SourceArn, logGroupArn)),
    );
};

/** Reads the permissions of routes. A route without one answers 500 in AWS, which is easy to overlook in a template. */
export const readPermissions = (resources: StackResource[], environment: AwsEnvironment): MayInvoke => {
  const permissions = permissionsOf(resources, "apigateway.amazonaws.com");

  return (apiId, routeKey, functionArn) => {
    const [method = "", path = ""] = routeKey.split(" ");
    const source = arnOf(environment, "execute-api", `${apiId}/$default/${method === "ANY" ? "*" : method}${path}`);
    // With the alias, if the ARN has one: a permission for an alias is not a permission for the function.
    const functionName = functionArn.split(":").slice(6).join(":");
    return permissions.some(
      ({ FunctionName, SourceArn, SourceAccount = environment.accountId }) =>
        (FunctionName === functionArn || FunctionName === functionName) &&
        SourceAccount === environment.accountId &&
        (SourceArn === undefined || matchesPattern(SourceArn, source)),
    );
  };
};

const permissionsOf = (resources: StackResource[], principal: string) =>
  resources
    .filter(({ type }) => type === "AWS::Lambda::Permission")
    .map((resource) => readProperties(resource, permissionSchema))
    .filter(({ Action, Principal }) => /^lambda:(\*|Invoke\*|InvokeFunction)$/.test(Action) && Principal === principal);
