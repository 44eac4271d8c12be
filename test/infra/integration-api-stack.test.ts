import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { functionsOf } from "../../infra/functions.ts";
import { adminContract } from "../../lambdas/admin/contract.ts";
import { api } from "../../lambdas/api.ts";
import { adminRoute } from "../../lambdas/declaration/action.ts";
import { operationsOf } from "../../lambdas/declaration/operations.ts";
import { storeNames } from "../../lambdas/domain/built-in-stores.ts";
import { tableVariable } from "../../lambdas/dynamodb/uses.ts";
import { everyOption, synthesiseTemplates } from "../support/stages.ts";
import { constructIdOf, readTemplate, statementsOf, type Template } from "../support/template.ts";

const variablesShape = z._default(z.object({ Variables: z.record(z.string(), z.unknown()) }), { Variables: {} });

let template: Template;
beforeAll(async () => {
  template = await readTemplate();
});

const operations = operationsOf(api);

/** The routes of the site function. */
const siteRoutes = functionsOf(api).flatMap(({ name, routeKeys }) =>
  name === "site" ? routeKeys.map(({ key }) => key) : [],
);

const greedy = (path: string) => path.replace(/}$/, "+}");

/** The routes of the admin function. */
const adminRoutes = Object.values(adminContract)
  .map(adminRoute)
  .map(({ method, path }) => `${method} ${greedy(path)}`);

describe("the routes", () => {
  test("cover the endpoints, the admin actions, the site's paths and the default route", () => {
    const declared = operations.map(({ endpoint, path }) => `${endpoint.method} ${greedy(path)}`);
    const routes = template.propertiesOf("AWS::ApiGatewayV2::Route").map(({ RouteKey }) => RouteKey);

    expect(routes.toSorted()).toEqual([...declared, ...siteRoutes, ...adminRoutes, "$default"].toSorted());
  });

  test("of the admin function, and no others, require the user pool's authorizer", () => {
    const guarded = template
      .propertiesOf("AWS::ApiGatewayV2::Route")
      .filter(({ AuthorizationType }) => AuthorizationType !== "NONE");

    expect(guarded.map(({ RouteKey }) => RouteKey).toSorted()).toEqual(adminRoutes.toSorted());
    for (const route of guarded) {
      expect(route).toMatchObject({ AuthorizationType: "JWT", AuthorizerId: { Ref: expect.any(String) } });
    }
  });

  test("belong to the stage $default, so their paths have no prefix", () => {
    expect(template.propertiesOf("AWS::ApiGatewayV2::Stage")).toEqual([
      expect.objectContaining({ StageName: "$default", AutoDeploy: true }),
    ]);
  });
});

describe("the functions", () => {
  test("run on Node.js 24 on arm64, and time out before API Gateway does if it calls them", () => {
    for (const resource of Object.values(template.ofType("AWS::Lambda::Function"))) {
      const { Timeout, ...properties } = resource.Properties;
      expect(properties).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"], Handler: "index.handler" });
      if (!["notices", "version-check", "options-guard"].includes(constructIdOf(resource)))
        expect(Timeout).toBeLessThan(30);
    }
  });

  test("can be invoked by API Gateway only on behalf of this API", () => {
    const permissions = template
      .propertiesOf("AWS::Lambda::Permission")
      .filter(({ Principal }) => Principal !== "logs.amazonaws.com");

    const called = ["site", "admin-http", "fallback"];
    expect(permissions).toHaveLength(operations.length + called.length);
    for (const permission of permissions) {
      expect(permission).toMatchObject({ Principal: "apigateway.amazonaws.com", Action: "lambda:InvokeFunction" });
      expect(JSON.stringify(permission.SourceArn)).toContain("execute-api");
    }
  });

  test("cannot be invoked by a log, except the usage function by access-log lines with a token", () => {
    const [log] = Object.keys(template.ofType("AWS::Logs::LogGroup")).filter((id) => id.startsWith("LogsRequests"));
    const [live] = Object.keys(template.ofType("AWS::Lambda::Alias")).filter((id) => id.startsWith("usage"));
    const permissions = template
      .propertiesOf("AWS::Lambda::Permission")
      .filter(({ Principal }) => Principal === "logs.amazonaws.com");

    expect(permissions).toEqual([
      {
        Action: "lambda:InvokeFunction",
        FunctionName: { Ref: live },
        Principal: "logs.amazonaws.com",
        SourceArn: { "Fn::GetAtt": [log, "Arn"] },
      },
    ]);
    expect(template.propertiesOf("AWS::Logs::SubscriptionFilter")).toEqual([
      {
        DestinationArn: { Ref: live },
        FilterPattern: '{ ($.message = "request") && ($.token_id = *) }',
        LogGroupName: { Ref: log },
      },
    ]);
  });

  test("have no function URL, and know their account id if they use a table", () => {
    const environments = template
      .propertiesOf("AWS::Lambda::Function")
      .map(({ Environment }) => variablesShape.parse(Environment));
    const tableVariables: string[] = storeNames.map(tableVariable);

    expect(template.ofType("AWS::Lambda::Url")).toEqual({});
    // With the id, they use the account's DynamoDB endpoint.
    for (const { Variables } of environments) {
      const usesTable = tableVariables.some((name) => name in Variables);
      expect(Variables.AWS_ACCOUNT_ID).toEqual(usesTable ? { Ref: "AWS::AccountId" } : undefined);
    }
  });

  test("keep the admin log for a year, and other logs for 90 days", () => {
    const retention = Object.entries(template.ofType("AWS::Logs::LogGroup")).map(([id, { Properties }]) => [
      /^(?:Logs)?(Access|Requests|Admin|Usage|OptionsGuard)/.exec(id)?.[1],
      Properties.RetentionInDays,
    ]);

    expect(Object.fromEntries(retention)).toEqual({
      Access: 90,
      Requests: 90,
      Admin: 365,
      Usage: 90,
      OptionsGuard: 90,
    });
  });
});

describe("the permissions", () => {
  test("name each action and each resource, except for alarms and stacks", () => {
    const wildcards = statementsOf(template).filter(({ actions, resource }) =>
      /"[^"]*\*"/.test(JSON.stringify([actions, resource])),
    );

    // A stack's id ends with a random part.
    const stacks = { functionName: "options-guard", actions: ["cloudformation:DescribeStacks"] };
    expect(wildcards).toEqual([
      expect.objectContaining({ functionName: "Role", actions: ["cloudwatch:DescribeAlarms"] }),
      ...Array(2).fill(expect.objectContaining(stacks)),
    ]);
    expect(JSON.stringify(wildcards)).toContain(":alarm:*");
  });

  test("of CodeDeploy and EventBridge Scheduler work only on behalf of this account", () => {
    const trusts = template.propertiesOf("AWS::IAM::Role").map((role) => JSON.stringify(role.AssumeRolePolicyDocument));
    const ofServices = trusts.filter((trust) => /codedeploy|scheduler/.test(trust));

    expect(ofServices.length).toBeGreaterThan(1);
    for (const trust of ofServices) expect(trust).toContain('"aws:SourceAccount":{"Ref":"AWS::AccountId"}');
  });
});

describe("the sign-in", () => {
  test("uses the code flow without a client secret, and redirects only to the service", async () => {
    const { propertiesOf } = await readTemplate(await synthesiseTemplates(everyOption));

    expect(propertiesOf("AWS::Cognito::UserPoolClient")).toEqual([
      expect.objectContaining({
        AllowedOAuthFlows: ["code"],
        GenerateSecret: false,
        CallbackURLs: [`https://${everyOption.domainName}/`],
        LogoutURLs: [`https://${everyOption.domainName}/`],
        PreventUserExistenceErrors: "ENABLED",
        AccessTokenValidity: 60,
        // The shortest possible lifetime, because the web interface does not use this token.
        RefreshTokenValidity: 60,
      }),
    ]);
  });

  test("uses Cognito's managed login pages", () => {
    expect(template.propertiesOf("AWS::Cognito::UserPoolDomain")).toMatchObject([{ ManagedLoginVersion: 2 }]);
    expect(template.propertiesOf("AWS::Cognito::ManagedLoginBranding")).toMatchObject([
      { UseCognitoProvidedValues: true },
    ]);
  });
});

test.each([
  ["prod", true],
  ["staging", true],
  ["dev", false],
])("the stack of %s is protected from deletion: %s", async (stage, isProtected) => {
  const text = await readFile(join(await synthesiseTemplates({ stage }), "manifest.json"), "utf8");

  const { properties } = JSON.parse(text).artifacts.IntegrationApi;
  expect(properties.terminationProtection ?? false).toBe(isProtected);
});
