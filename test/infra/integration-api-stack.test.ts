import { beforeAll, describe, expect, test } from "vitest";
import { adminContract } from "../../lambdas/admin/contract.ts";
import { api } from "../../lambdas/api.ts";
import { adminRoute } from "../../lambdas/declaration/action.ts";
import { operationsOf } from "../../lambdas/declaration/api.ts";
import { constructIdOf, readTemplate, statementsOf, type Template } from "../support/template.ts";

let template: Template;
beforeAll(async () => {
  template = await readTemplate();
});

const propertiesOf = (type: string) => Object.values(template.ofType(type)).map(({ Properties }) => Properties);

const operations = operationsOf(api);

/** The routes of the site function, which serves what browsers load. */
const siteRoutes = [
  "/",
  "/keys",
  "/settings.json",
  "/assets/{file+}",
  "/api/documentation",
  "/api/documentation/{file+}",
].flatMap((path) => [`GET ${path}`, `HEAD ${path}`]);

const greedy = (path: string) => path.replace(/}$/, "+}");

/** The routes of the admin function, for who is signed in. */
const adminRoutes = Object.values(adminContract)
  .map(adminRoute)
  .map(({ method, path }) => `${method} ${greedy(path)}`);

describe("the routes", () => {
  test("are one for each declared endpoint and each action of admins, the site's, and the default", () => {
    const declared = operations.map(({ endpoint, path }) => `${endpoint.method} ${greedy(path)}`);
    const routes = propertiesOf("AWS::ApiGatewayV2::Route").map(({ RouteKey }) => RouteKey);

    expect(routes.toSorted()).toEqual([...declared, ...siteRoutes, ...adminRoutes, "$default"].toSorted());
  });

  test("lead to a function of their own each, but for the site's and the admin's, which share one", () => {
    const targets = propertiesOf("AWS::ApiGatewayV2::Route").map(({ Target }) => JSON.stringify(Target));
    const functions = propertiesOf("AWS::ApiGatewayV2::Integration").map(({ IntegrationUri }) =>
      JSON.stringify(IntegrationUri),
    );

    // The usage function has none: a log leads to it.
    expect(new Set(targets).size).toBe(operations.length + 3);
    expect(new Set(functions).size).toBe(operations.length + 3);
  });

  test("of admins, and no others, are behind the authorizer of the user pool", () => {
    const guarded = propertiesOf("AWS::ApiGatewayV2::Route").filter(
      ({ AuthorizationType }) => AuthorizationType !== "NONE",
    );

    expect(guarded.map(({ RouteKey }) => RouteKey).toSorted()).toEqual(adminRoutes.toSorted());
    for (const route of guarded) {
      expect(route).toMatchObject({ AuthorizationType: "JWT", AuthorizerId: { Ref: expect.any(String) } });
    }
  });

  test("stand on the stage $default, with no prefix in their paths", () => {
    expect(propertiesOf("AWS::ApiGatewayV2::Stage")).toEqual([
      expect.objectContaining({ StageName: "$default", AutoDeploy: true }),
    ]);
  });
});

describe("the functions", () => {
  test("are one for each declared endpoint, the fallback, the site's, the admin's and the usage's", () => {
    const names = Object.values(template.ofType("AWS::Lambda::Function")).map(constructIdOf);

    expect(names.toSorted()).toEqual(
      [...operations.map(({ functionName }) => functionName), "admin", "fallback", "site", "usage"].toSorted(),
    );
  });

  test("run on Node.js 24 on arm64, for less time than API Gateway waits", () => {
    for (const properties of propertiesOf("AWS::Lambda::Function")) {
      expect(properties).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"], Handler: "index.handler" });
      expect(properties.Timeout).toBeLessThan(30);
    }
  });

  test("may be called by API Gateway from their own routes alone", () => {
    const permissions = propertiesOf("AWS::Lambda::Permission").filter(
      ({ Principal }) => Principal !== "logs.amazonaws.com",
    );

    expect(permissions).toHaveLength(operations.length + siteRoutes.length + adminRoutes.length + 1);
    for (const permission of permissions) {
      expect(permission).toMatchObject({ Principal: "apigateway.amazonaws.com", Action: "lambda:InvokeFunction" });
      expect(JSON.stringify(permission.SourceArn)).toContain("execute-api");
    }
  });

  test("but for one may not be called by a log: the usage function, by the log of requests, for lines with a token", () => {
    const [log] = Object.keys(template.ofType("AWS::Logs::LogGroup")).filter((id) => id.startsWith("LogsRequests"));
    const [live] = Object.keys(template.ofType("AWS::Lambda::Alias")).filter((id) => id.startsWith("usage"));
    const permissions = propertiesOf("AWS::Lambda::Permission").filter(
      ({ Principal }) => Principal === "logs.amazonaws.com",
    );

    expect(permissions).toEqual([
      {
        Action: "lambda:InvokeFunction",
        FunctionName: { Ref: live },
        Principal: "logs.amazonaws.com",
        SourceArn: { "Fn::GetAtt": [log, "Arn"] },
      },
    ]);
    expect(propertiesOf("AWS::Logs::SubscriptionFilter")).toEqual([
      {
        DestinationArn: { Ref: live },
        FilterPattern: '{ ($.message = "request") && ($.token_id = *) }',
        LogGroupName: { Ref: log },
      },
    ]);
  });

  test("have no address of their own, and no secret in their environment", () => {
    expect(template.ofType("AWS::Lambda::Url")).toEqual({});
    const variables = propertiesOf("AWS::Lambda::Function").flatMap(({ Environment }) =>
      Object.keys((Environment as { Variables: object } | undefined)?.Variables ?? {}),
    );
    expect(new Set(variables)).toEqual(
      new Set([
        "KEYS_TABLE",
        "LIMITS_TABLE",
        "LOG_LEVEL",
        "TOKENS_TABLE",
        "USAGE_TABLE",
        "BASE_URL",
        "LOGIN_AUTHORITY",
        "LOGIN_CLIENT_ID",
        "LOGIN_ORIGINS",
      ]),
    );
  });

  test("keep their logs for a bounded time", () => {
    const groups = propertiesOf("AWS::Logs::LogGroup");

    expect(groups).toHaveLength(4);
    for (const group of groups) expect(group.RetentionInDays).toBeGreaterThan(0);
  });
});

describe("the rights", () => {
  test("name each action and each resource, but for the alarms, which CloudWatch shows all or none of", () => {
    const wildcards = statementsOf(template).filter(({ actions, resource }) =>
      /"[^"]*\*"/.test(JSON.stringify([actions, resource])),
    );

    expect(wildcards).toEqual([
      expect.objectContaining({ functionName: "Role", actions: ["cloudwatch:DescribeAlarms"] }),
    ]);
    expect(JSON.stringify(wildcards)).toContain(":alarm:*");
  });

  test("come from no policy of AWS's, which changes without notice", () => {
    for (const role of propertiesOf("AWS::IAM::Role")) expect(role).not.toHaveProperty("ManagedPolicyArns");
  });

  test("of an endpoint are its own and no more", () => {
    const rightsOf = (name: string) =>
      statementsOf(template)
        .filter(
          ({ functionName, actions }) =>
            functionName === name && actions.some((action) => action.startsWith("dynamodb:")),
        )
        .map(({ actions, resource, condition }) =>
          [`${actions} on ${JSON.stringify(resource)}`, ...(condition ? [JSON.stringify(condition)] : [])].join(" if "),
        )
        .toSorted();
    const takesFromLimit = 'dynamodb:UpdateItem on {"Fn::GetAtt":["LimitsTable","Arn"]}';
    const recordsUse =
      'dynamodb:UpdateItem on {"Fn::GetAtt":["TokensTable","Arn"]} if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["token_id","last_used_at"]}}';

    expect(rightsOf("v1-create-key")).toEqual([
      'dynamodb:GetItem on {"Fn::GetAtt":["TokensTable","Arn"]}',
      'dynamodb:UpdateItem on {"Fn::GetAtt":["KeysTable","Arn"]}',
      takesFromLimit,
      recordsUse,
    ]);
    expect(rightsOf("v1-get-token")).toEqual([
      'dynamodb:GetItem on {"Fn::GetAtt":["TokensTable","Arn"]}',
      takesFromLimit,
      recordsUse,
    ]);
    expect(rightsOf("fallback")).toEqual([]);
    expect(rightsOf("site")).toEqual([]);
    expect(rightsOf("usage")).toEqual(['dynamodb:UpdateItem on {"Fn::GetAtt":["UsageTable","Arn"]}']);
    expect(rightsOf("admin")).toContain('dynamodb:Query on {"Fn::GetAtt":["UsageTable","Arn"]}');
  });
});

describe("the tables", () => {
  test("keep logical ids that no refactoring may change", () => {
    expect(Object.keys(template.ofType("AWS::DynamoDB::GlobalTable"))).toEqual([
      "KeysTable",
      "TokensTable",
      "LimitsTable",
      "UsageTable",
    ]);
  });

  test("are paid on demand, recoverable to any second, and safe from deletion", () => {
    for (const { Properties, ...table } of Object.values(template.ofType("AWS::DynamoDB::GlobalTable"))) {
      expect(table).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
      expect(Properties).toMatchObject({
        BillingMode: "PAY_PER_REQUEST",
        Replicas: [
          {
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
            DeletionProtectionEnabled: true,
          },
        ],
      });
    }
  });

  test.each(["TokensTable", "LimitsTable", "UsageTable"])("remove what is over in time: %s", (table) => {
    expect(template.ofType("AWS::DynamoDB::GlobalTable")[table]?.Properties).toMatchObject({
      TimeToLiveSpecification: { AttributeName: "delete_at", Enabled: true },
    });
  });
});

test("the outputs tell the base URL, the admin function's name, the user pool and where alarms are told", () => {
  expect(Object.keys(template.outputs).toSorted()).toEqual([
    "AdminFunctionName",
    "AlarmTopicArn",
    "BaseUrl",
    "UserPoolId",
  ]);
});

test("nothing in the template depends on the machine that made it", () => {
  expect(template.text).not.toContain(process.cwd());
});
