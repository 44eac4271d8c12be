import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type LocalService, type LocalServiceOptions, startLocalService } from "../src/service.ts";

type Resources = Record<string, { Type: string; Properties?: object; Metadata?: object; Condition?: string }>;

/** A folder that is gone after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "local-run-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A folder with these files, gone after the test. */
export const codeDirectory = async (files: Record<string, string>): Promise<string> => {
  const directory = await temporaryDirectory();
  for (const [file, text] of Object.entries(files)) await writeFile(join(directory, file), text);
  return directory;
};

/** Writes a cloud assembly of one stack, as the CDK would, and gives its folder. */
export async function writeAssembly(
  directory: string,
  {
    resources,
    code = {},
    ...rest
  }: { resources: Resources; code?: Record<string, Record<string, string>>; Outputs?: object },
): Promise<string> {
  const assembly = join(directory, "cdk.out");
  await mkdir(assembly, { recursive: true });
  for (const [name, files] of Object.entries(code)) {
    await mkdir(join(assembly, `asset.${name}`), { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(join(assembly, `asset.${name}`, file), text);
  }
  const artifacts = { Test: { type: "aws:cloudformation:stack", properties: { templateFile: "Test.template.json" } } };
  await writeFile(join(assembly, "manifest.json"), JSON.stringify({ version: "54.0.0", artifacts }));
  await writeFile(join(assembly, "Test.template.json"), JSON.stringify({ ...rest, Resources: resources }));
  return assembly;
}

/** The resources of a function `name`, its role, and policies if it has any. */
export function functionResources(name: string, { properties = {}, statements = [] as object[] } = {}): Resources {
  return {
    [`${name}Role`]: {
      Type: "AWS::IAM::Role",
      Properties: {
        AssumeRolePolicyDocument: {},
        ...(statements.length > 0 && { Policies: [{ PolicyName: "p", PolicyDocument: { Statement: statements } }] }),
      },
    },
    [name]: {
      Type: "AWS::Lambda::Function",
      Properties: {
        Code: { S3Bucket: "assets", S3Key: `${name}.zip` },
        Handler: "index.handler",
        Runtime: "nodejs24.x",
        Role: { "Fn::GetAtt": [`${name}Role`, "Arn"] },
        ...properties,
      },
      Metadata: { "aws:cdk:path": `Test/${name}/Resource`, "aws:asset:path": `asset.${name}` },
    },
  };
}

/** An HTTP API whose routes lead to functions: `{ "GET /keys": "keys" }`. */
export function apiResources(routes: Record<string, string>, { permitted = true } = {}): Resources {
  const functions = [...new Set(Object.values(routes))];
  return {
    Api: { Type: "AWS::ApiGatewayV2::Api", Properties: { Name: "api", ProtocolType: "HTTP" } },
    Stage: {
      Type: "AWS::ApiGatewayV2::Stage",
      Properties: { ApiId: { Ref: "Api" }, StageName: "$default", AutoDeploy: true },
    },
    ...Object.fromEntries(
      functions.flatMap((name) => [
        [
          `${name}Integration`,
          {
            Type: "AWS::ApiGatewayV2::Integration",
            Properties: {
              ApiId: { Ref: "Api" },
              IntegrationType: "AWS_PROXY",
              IntegrationUri: { "Fn::GetAtt": [name, "Arn"] },
              PayloadFormatVersion: "2.0",
            },
          },
        ],
        ...(permitted
          ? [
              [
                `${name}Permission`,
                {
                  Type: "AWS::Lambda::Permission",
                  Properties: {
                    Action: "lambda:InvokeFunction",
                    FunctionName: { "Fn::GetAtt": [name, "Arn"] },
                    Principal: "apigateway.amazonaws.com",
                  },
                },
              ],
            ]
          : []),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(routes).map(([routeKey, name], index) => [
        `Route${index}`,
        {
          Type: "AWS::ApiGatewayV2::Route",
          Properties: {
            ApiId: { Ref: "Api" },
            RouteKey: routeKey,
            Target: { "Fn::Join": ["", ["integrations/", { Ref: `${name}Integration` }]] },
          },
        },
      ]),
    ),
  };
}

/** A table with the key `id`. */
export const tableResource = (properties: object = {}) => ({
  Type: "AWS::DynamoDB::GlobalTable",
  Properties: {
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    BillingMode: "PAY_PER_REQUEST",
    Replicas: [{ Region: { Ref: "AWS::Region" } }],
    ...properties,
  },
});

/** A running service that is closed after the test, and what it has logged. */
export async function runningService(
  options: Partial<LocalServiceOptions> & { assembly: string },
): Promise<LocalService & { logged: () => string }> {
  let text = "";
  const service = await startLocalService({
    port: 0,
    dataDirectory: await temporaryDirectory(),
    log: (line) => {
      text += line;
    },
    ...options,
  });
  onTestFinished(service.close);
  return Object.assign(service, { logged: () => text });
}

/** A service of functions alone, given by their code. */
export async function serviceOf(
  code: Record<string, string>,
  { properties = {}, routes = {} }: { properties?: object; routes?: Record<string, string> } = {},
) {
  const names = Object.keys(code);
  const assembly = await writeAssembly(await temporaryDirectory(), {
    resources: {
      ...Object.assign({}, ...names.map((name) => functionResources(name, { properties }))),
      ...(Object.keys(routes).length > 0 && apiResources(routes)),
    },
    code: Object.fromEntries(Object.entries(code).map(([name, text]) => [name, { "index.js": text }])),
  });
  return runningService({ assembly });
}
