import { expect, test } from "vitest";
import { readApplication } from "../../src/assembly/application.ts";
import { localAwsEnvironment } from "../../src/support/aws-environment.ts";
import { temporaryDirectory } from "../support/folders.ts";
import { runningService } from "../support/services.ts";
import { apiResources, functionResources, type Resources } from "../support/template-resources.ts";
import { writeAssembly } from "../support/write-assembly.ts";

const places = { environment: localAwsEnvironment(), baseUrl: "http://127.0.0.1", loginUrl: "http://127.0.0.1" };

const code = { f: { "index.js": "exports.handler = async () => 'from f'" } };

/** A function behind an alias, as the CDK writes it; the alias comes before what it refers to. */
const aliased = ({ alias = {}, permittedOn = { Ref: "live" } as object } = {}) => {
  const { Route0, fIntegration, fPermission, ...api } = apiResources({ $default: "f" });
  return {
    live: {
      Type: "AWS::Lambda::Alias",
      Properties: {
        FunctionName: { Ref: "f" },
        FunctionVersion: { "Fn::GetAtt": ["version", "Version"] },
        Name: "live",
        ...alias,
      },
    },
    version: { Type: "AWS::Lambda::Version", Properties: { FunctionName: { Ref: "f" } } },
    ...functionResources("f"),
    ...api,
    Route0: { Type: "AWS::ApiGatewayV2::Route", ...Route0 },
    fIntegration: {
      Type: "AWS::ApiGatewayV2::Integration",
      Properties: { ...fIntegration?.Properties, IntegrationUri: { Ref: "live" } },
    },
    fPermission: {
      Type: "AWS::Lambda::Permission",
      Properties: { ...fPermission?.Properties, FunctionName: permittedOn },
    },
  };
};
const read = async (resources: Resources, Outputs: object = {}) =>
  readApplication(await writeAssembly(await temporaryDirectory(), { resources, code, Outputs }), places);

test("the ARN of an alias or a version leads to the function", async () => {
  const name = { "Fn::Select": [6, { "Fn::Split": [":", { Ref: "live" }] }] };
  const outputs = { Alias: { Value: { Ref: "live" } }, Name: { Value: name } };
  const { functionBehind, outputs: resolved } = await read(aliased(), outputs);

  const arn = "arn:aws:lambda:us-east-1:000000000000:function:f";
  expect(resolved).toEqual({ Alias: `${arn}:live`, Name: "f" });
  expect([arn, `${arn}:live`, `${arn}:1`].map(functionBehind)).toEqual([arn, arn, arn]);
});

test("a function behind an alias answers its route, and is invoked by its name with the alias", async () => {
  const assembly = await writeAssembly(await temporaryDirectory(), { resources: aliased(), code });
  const service = await runningService({ assembly });
  const url = `${service.invokeUrl}/2015-03-31/functions/f:live/invocations`;

  expect(await (await fetch(service.baseUrl)).text()).toBe("from f");
  expect(await (await fetch(url, { method: "POST", body: "{}" })).json()).toBe("from f");
});

test("a permission on the function does not apply to its alias, as in AWS", async () => {
  const onFunction = await read(aliased({ permittedOn: { "Fn::GetAtt": ["f", "Arn"] } }));
  const onAlias = await read(aliased());

  const alias = "arn:aws:lambda:us-east-1:000000000000:function:f:live";
  expect(onFunction.mayInvoke("Api", "$default", alias)).toBe(false);
  expect(onAlias.mayInvoke("Api", "$default", alias)).toBe(true);
});

test.each([
  [
    "splits its calls between two versions",
    { RoutingConfig: { AdditionalVersionWeights: [] } },
    /live .*RoutingConfig/,
  ],
  ["belongs to a function outside the app", { FunctionName: "g" }, /live refers to the function g, which no stack/],
])("an alias that %s is refused", async (_, alias, message) => {
  await expect(read(aliased({ alias }))).rejects.toThrow(message);
});
