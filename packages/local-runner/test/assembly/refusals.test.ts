import { join } from "node:path";
import { expect, test } from "vitest";
import { startLocalService } from "../../src/service.ts";
import {
  apiResources,
  functionResources,
  runningService,
  tableResource,
  temporaryDirectory,
  writeAssembly,
} from "../fixtures.ts";

const start = async (resources: Parameters<typeof writeAssembly>[1]["resources"]) => {
  const directory = await temporaryDirectory();
  const assembly = await writeAssembly(directory, { resources, code: { f: { "index.js": "" } } });
  return startLocalService({ port: 0, dataDirectory: join(directory, "data"), assembly });
};

const api = (logicalId: string, properties: object) => {
  const resources = { ...functionResources("f"), ...apiResources({ $default: "f" }) };
  Object.assign(resources[logicalId]?.Properties ?? {}, properties);
  return resources;
};
const statement = (extra: object) => ({ Effect: "Allow", Action: "dynamodb:*", Resource: "*", ...extra });

test.each([
  [
    "an unknown resource type",
    { Queue: { Type: "AWS::SQS::Queue" } },
    /Queue of stack Test cannot run.*AWS::SQS::Queue/,
  ],
  ["cross-origin settings", api("Api", { CorsConfiguration: {} }), /Api \(AWS::ApiGatewayV2::Api\).*CorsConfiguration/],
  ["an authorizer of IAM's", api("Route0", { AuthorizationType: "AWS_IAM" }), /Route0 .*AuthorizationType/],
  ["a guard without an authorizer", api("Route0", { AuthorizationType: "JWT" }), /Route0 .*AuthorizerId/],
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
  ["a conditional right", functionResources("f", { statements: [statement({ Condition: {} })] }), /fRole .*Condition/],
  [
    "a right on a condition that it does not know",
    functionResources("f", { statements: [statement({ Condition: { Bool: { "aws:SecureTransport": "true" } } })] }),
    /fRole .*Bool/,
  ],
  [
    "a condition that it knows, on another key",
    functionResources("f", {
      statements: [statement({ Condition: { "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["a"] } } })],
    }),
    /fRole .*LeadingKeys/,
  ],
  [
    "a conditional denial",
    functionResources("f", {
      statements: [
        statement({ Effect: "Deny", Condition: { "ForAllValues:StringEquals": { "dynamodb:Attributes": ["a"] } } }),
      ],
    }),
    /fRole .*Condition/,
  ],
  [
    "a right by exclusion",
    functionResources("f", { statements: [statement({ NotResource: "*" })] }),
    /fRole .*NotResource/,
  ],
])("%s stops the start, and the message names where it stands", async (_, resources, message) => {
  await expect(start(resources)).rejects.toThrow(message);
});

test("a table whose keys have changed is named, with what to do", async () => {
  const [directory, dataDirectory] = [await temporaryDirectory(), await temporaryDirectory()];
  const assembly = (keyType: string) =>
    writeAssembly(directory, {
      resources: { Keys: tableResource({ AttributeDefinitions: [{ AttributeName: "id", AttributeType: keyType }] }) },
    });
  const service = await startLocalService({ port: 0, dataDirectory, assembly: await assembly("S") });
  await service.close();
  const again = startLocalService({ port: 0, dataDirectory, assembly: await assembly("N") });

  await expect(again).rejects.toThrow(/Table Keys in .* has other keys or indexes.*DATA_DIR=/);
});

test("what has no local meaning is left out, unless something that runs needs it", async () => {
  const topic = { Type: "AWS::SNS::Topic" };
  const assembly = await writeAssembly(await temporaryDirectory(), {
    resources: { Topic: topic },
    Outputs: { Topic: { Value: { Ref: "Topic" } }, Region: { Value: { Ref: "AWS::Region" } } },
  });
  expect((await runningService({ assembly })).outputs).toEqual({ Region: "us-east-1" });

  const properties = { Environment: { Variables: { TOPIC: { Ref: "Topic" } } } };
  await expect(start({ Topic: topic, ...functionResources("f", { properties }) })).rejects.toThrow(
    /Topic of stack Test \(AWS::SNS::Topic\) is left out of a local run, but something that runs refers to it/,
  );
});
