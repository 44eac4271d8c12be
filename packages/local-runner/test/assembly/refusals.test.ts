import { join } from "node:path";
import { expect, test } from "vitest";
import { readApplication } from "../../src/assembly/application.ts";
import { startLocalService } from "../../src/service.ts";
import { localAwsEnvironment } from "../../src/support/aws-environment.ts";
import { temporaryDirectory } from "../support/folders.ts";
import { apiResources, functionResources, type Resources, tableResource } from "../support/template-resources.ts";
import { writeAssembly } from "../support/write-assembly.ts";

const places = { environment: localAwsEnvironment(), baseUrl: "http://127.0.0.1", loginUrl: "http://127.0.0.1" };

const read = async (resources: Resources, Outputs: object = {}) => {
  const code = { f: { "index.js": "" } };
  return readApplication(await writeAssembly(await temporaryDirectory(), { resources, code, Outputs }), places);
};

const api = (logicalId: string, properties: object) => {
  const resources = { ...functionResources("f"), ...apiResources({ $default: "f" }) };
  Object.assign(resources[logicalId]?.Properties ?? {}, properties);
  return resources;
};
const statement = (extra: object) => ({ Effect: "Allow", Action: "dynamodb:*", Resource: "*", ...extra });
const onAttributes = { "ForAllValues:StringEquals": { "dynamodb:Attributes": ["a"] } };
const onLeadingKeys = { "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["a"] } };
const withStatement = (extra: object) => functionResources("f", { statements: [statement(extra)] });

test.each([
  [
    "an unknown resource type",
    { Queue: { Type: "AWS::SQS::Queue" } },
    /Queue of stack Test cannot run locally: resource type AWS::SQS::Queue is not supported/,
  ],
  ["cross-origin settings", api("Api", { CorsConfiguration: {} }), /Api \(AWS::ApiGatewayV2::Api\).*CorsConfiguration/],
  ["an IAM authorizer", api("Route0", { AuthorizationType: "AWS_IAM" }), /Route0 .*AuthorizationType/],
  ["a JWT route without an authorizer", api("Route0", { AuthorizationType: "JWT" }), /Route0 .*AuthorizerId/],
  ["a stage with a prefix", api("Stage", { StageName: "v1" }), /Stage .*only the \$default stage/],
  ["payload format 1.0", api("fIntegration", { PayloadFormatVersion: "1.0" }), /fIntegration .*PayloadFormatVersion/],
  ["another runtime", functionResources("f", { properties: { Runtime: "python3.13" } }), /only Node\.js functions/],
  ["layers", functionResources("f", { properties: { Layers: ["a"] } }), /f \(AWS::Lambda::Function\).*Layers/],
  [
    "streams",
    { T: tableResource({ StreamSpecification: {} }) },
    /T \(AWS::DynamoDB::GlobalTable\).*StreamSpecification/,
  ],
  ["two regions", { T: tableResource({ Replicas: [{}, {}] }) }, /T .*several regions/],
  ["a permission with an empty condition", withStatement({ Condition: {} }), /fRole .*Condition/],
  [
    "a permission with an unknown condition",
    withStatement({ Condition: { Bool: { "aws:SecureTransport": "true" } } }),
    /fRole .*Bool/,
  ],
  ["a known condition on another key", withStatement({ Condition: onLeadingKeys }), /fRole .*LeadingKeys/],
  ["a conditional denial", withStatement({ Effect: "Deny", Condition: onAttributes }), /fRole .*Condition/],
  ["a permission with an exclusion", withStatement({ NotResource: "*" }), /fRole .*NotResource/],
])("%s is refused, and the message says where", async (_, resources, message) => {
  await expect(read(resources)).rejects.toThrow(message);
});

test("a table whose keys have changed is reported by name, with instructions", async () => {
  const [directory, dataDirectory] = [await temporaryDirectory(), await temporaryDirectory()];
  const assembly = (keyType: string) =>
    writeAssembly(join(directory, keyType), {
      resources: { Keys: tableResource({ AttributeDefinitions: [{ AttributeName: "id", AttributeType: keyType }] }) },
    });
  const service = await startLocalService({ port: 0, dataDirectory, assembly: await assembly("S") });
  await service.close();
  const again = startLocalService({ port: 0, dataDirectory, assembly: await assembly("N") });

  await expect(again).rejects.toMatchObject({
    message: expect.stringMatching(/Table Keys in .* has other keys or indexes.*choose another data folder/),
    option: "dataDirectory",
  });
});

test("outputs may refer to resources that a local run leaves out, but resources that run may not", async () => {
  const alarm = { Type: "AWS::CloudWatch::Alarm" };
  const outputs = { Alarm: { Value: { Ref: "Alarm" } }, Region: { Value: { Ref: "AWS::Region" } } };
  expect((await read({ Alarm: alarm }, outputs)).outputs).toEqual({ Region: "us-east-1" });

  const properties = { Environment: { Variables: { ALARM: { Ref: "Alarm" } } } };
  await expect(read({ Alarm: alarm, ...functionResources("f", { properties }) })).rejects.toThrow(
    /Alarm of stack Test \(AWS::CloudWatch::Alarm\) is left out of a local run, but something that runs refers to it/,
  );
});
