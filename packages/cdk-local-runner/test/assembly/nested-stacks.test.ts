import { expect, test } from "vitest";
import { readApplication } from "../../src/assembly/application.ts";
import { isAllowed } from "../../src/assembly/rights.ts";
import { arnOf, localAwsEnvironment } from "../../src/support/aws-environment.ts";
import {
  aliasOf,
  apiResources,
  functionResources,
  nestedStack,
  type Resources,
  tableResource,
  writeAssembly,
} from "../support/assemblies.ts";
import { temporaryDirectory } from "../support/services.ts";

const environment = localAwsEnvironment();
const places = { environment, baseUrl: "http://127.0.0.1:3000", loginUrl: "http://127.0.0.1:3003" };
const arn = (name: string) => arnOf(environment, "lambda", `function:${name}:live`);

/** A nested stack with a function, its table and a route. Each stack has a role `Gateway` for API Gateway, and a table `T`. */
const nestedTemplate = (name: string, { mayInvoke = `${name}Live` } = {}) => {
  const { Api, Stage, Route0, [`${name}Integration`]: integration } = apiResources({ [`GET /${name}`]: name });
  const properties = { Environment: { Variables: { TABLE: { Ref: "T" }, SHARED: { Ref: "SharedName" } } } };
  const statements = [
    { Effect: "Allow", Action: "dynamodb:GetItem", Resource: { "Fn::GetAtt": ["T", "Arn"] } },
    { Effect: "Allow", Action: "lambda:InvokeFunction", Resource: { Ref: mayInvoke } },
  ];
  const resources: Resources = {
    T: tableResource(),
    ...functionResources(name, { properties, statements }),
    ...aliasOf(name),
    Gateway: {
      Type: "AWS::IAM::Role",
      Properties: {
        AssumeRolePolicyDocument: {
          Statement: [{ Effect: "Allow", Principal: { Service: "apigateway.amazonaws.com" } }],
        },
        Policies: [{ PolicyName: "p", PolicyDocument: { Statement: statements.slice(1) } }],
      },
    },
    ...(integration && {
      [`${name}Integration`]: {
        ...integration,
        Properties: {
          ...integration.Properties,
          ...{ ApiId: { Ref: "ApiRef" }, IntegrationUri: { Ref: `${name}Live` } },
          CredentialsArn: { "Fn::GetAtt": ["Gateway", "Arn"] },
        },
      },
    }),
    ...(Route0 && { Route0: { ...Route0, Properties: { ...Route0.Properties, ApiId: { Ref: "ApiRef" } } } }),
  };
  const parameters = { ApiRef: { Type: "String" }, SharedName: { Type: "String" } };
  const template = {
    Resources: resources,
    Parameters: parameters,
    Outputs: { Live: { Value: { Ref: `${name}Live` } } },
  };
  return { template, api: { ...(Api && { Api }), ...(Stage && { Stage }) } };
};

const propertiesWith = (SharedName: object) => ({
  TemplateURL: {},
  Parameters: { ApiRef: { Ref: "Api" }, SharedName },
});
const Properties = propertiesWith({ Ref: "Shared" });

/** Reads an API with the nested stacks A, B and C. A parameter of B is an output of A. C's condition is false. */
const read = async (inA: { Metadata?: object } = {}, mayInvoke = "bLive") => {
  const [a, b, c] = [nestedTemplate("a"), nestedTemplate("b", { mayInvoke }), nestedTemplate("c")];
  const assembly = await writeAssembly(await temporaryDirectory(), {
    resources: {
      ...a.api,
      Shared: tableResource(),
      ...nestedStack("A", { Properties, ...inA }),
      ...nestedStack("B", { Properties: propertiesWith({ "Fn::GetAtt": ["A", "Outputs.Live"] }) }),
      ...nestedStack("C", { Properties, Condition: "Never" }),
    },
    Conditions: { Never: { "Fn::Equals": ["a", "b"] } },
    code: { a: {}, b: {}, c: {} },
    nested: { A: a.template, B: b.template, C: c.template },
  });
  return readApplication(assembly, places);
};

test("passes the parent's parameters to a nested stack, whose outputs the parent can use", async () => {
  const { functions, tables, api } = await read();

  expect(api?.routes.map(({ routeKey, functionArn }) => [routeKey, functionArn])).toEqual([
    ["GET /a", arn("a")],
    ["GET /b", arn("b")],
  ]);
  expect(tables.map(({ TableName }) => TableName)).toEqual(["Shared", "AT", "BT"]);
  expect(functions.map(({ name, environment: variables }) => [name, variables])).toEqual([
    ["a", { TABLE: "AT", SHARED: "Shared" }],
    ["b", { TABLE: "BT", SHARED: arn("a") }],
  ]);
});

test("keeps resources with the same logical id in two nested stacks separate", async () => {
  const { functions } = await read();
  const rights = functions.map(({ rights: own }) =>
    ["AT", "BT"].map((table) => isAllowed(own, "dynamodb:GetItem", arnOf(environment, "dynamodb", `table/${table}`))),
  );

  expect(rights).toEqual([
    [true, false],
    [false, true],
  ]);
});

test("requires permission to invoke the function if a route's integration specifies a role", async () => {
  const permitted = ({ api, mayInvoke }: Awaited<ReturnType<typeof read>>) =>
    api?.routes.map((route) => mayInvoke(api.id, route));

  expect(permitted(await read())).toEqual([true, true]);
  expect(permitted(await read({}, "b"))).toEqual([true, false]);
});

test("rejects a nested stack whose template is missing, and names the stack", async () => {
  await expect(read({ Metadata: {} })).rejects.toThrow(
    /A of stack Test cannot run locally: its metadata has no aws:asset:path/,
  );
});
