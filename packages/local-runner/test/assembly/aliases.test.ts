import { expect, test } from "vitest";
import { startLocalService } from "../../src/service.ts";
import { apiResources, functionResources, runningService, temporaryDirectory, writeAssembly } from "../fixtures.ts";

const code = { f: { "index.js": "exports.handler = async () => 'from f'" } };

/** A function behind an alias, as the CDK writes it; the alias stands before what it refers to. */
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
const assemblyOf = async (resources: ReturnType<typeof aliased>, outputs = {}) =>
  writeAssembly(await temporaryDirectory(), { resources, code, Outputs: outputs });

test("a route that leads to an alias is answered by the function behind it", async () => {
  const name = { "Fn::Select": [6, { "Fn::Split": [":", { Ref: "live" }] }] };
  const outputs = { Alias: { Value: { Ref: "live" } }, Name: { Value: name } };
  const service = await runningService({ assembly: await assemblyOf(aliased(), outputs) });

  expect(await (await fetch(service.baseUrl)).text()).toBe("from f");
  expect(service.outputs).toEqual({ Alias: "arn:aws:lambda:us-east-1:000000000000:function:f:live", Name: "f" });
});

test("an alias is invoked by its name behind the function's", async () => {
  const service = await runningService({ assembly: await assemblyOf(aliased()) });
  const url = `${service.invokeUrl}/2015-03-31/functions/f:live/invocations`;

  expect(await (await fetch(url, { method: "POST", body: "{}" })).json()).toBe("from f");
});

test("a permission on the function is none on its alias, just as in AWS", async () => {
  const resources = aliased({ permittedOn: { "Fn::GetAtt": ["f", "Arn"] } });
  const service = await runningService({ assembly: await assemblyOf(resources) });

  expect((await fetch(service.baseUrl)).status).toBe(500);
  expect(service.logged()).toContain("no AWS::Lambda::Permission lets apigateway.amazonaws.com invoke");
});

test.each([
  [
    "splits its calls between two versions",
    { RoutingConfig: { AdditionalVersionWeights: [] } },
    /live .*RoutingConfig/,
  ],
  ["is of no function of the app", { FunctionName: "g" }, /live stands for the function g, which no stack/],
])("an alias that %s stops the start", async (_, alias, message) => {
  const assembly = await assemblyOf(aliased({ alias }));
  const started = startLocalService({ port: 0, dataDirectory: await temporaryDirectory(), assembly });

  await expect(started).rejects.toThrow(message);
});
