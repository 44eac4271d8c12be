import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export type Resources = Record<string, { Type: string; Properties?: object; Metadata?: object; Condition?: string }>;

/** Returns the resources of a function `name`, its role, and its policies if any. */
export const functionResources = (name: string, { properties = {}, statements = [] as object[] } = {}): Resources => {
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
};

/** Returns an HTTP API whose routes lead to functions: `{ "GET /keys": "keys" }`. */
export const apiResources = (routes: Record<string, string>): Resources => {
  const ApiId = { Ref: "Api" };
  const resources: Resources = {
    Api: { Type: "AWS::ApiGatewayV2::Api", Properties: { Name: "api", ProtocolType: "HTTP" } },
    Stage: { Type: "AWS::ApiGatewayV2::Stage", Properties: { ApiId, StageName: "$default", AutoDeploy: true } },
  };
  for (const name of Object.values(routes)) {
    const arn = { "Fn::GetAtt": [name, "Arn"] };
    resources[`${name}Integration`] = {
      Type: "AWS::ApiGatewayV2::Integration",
      Properties: { ApiId, IntegrationType: "AWS_PROXY", IntegrationUri: arn, PayloadFormatVersion: "2.0" },
    };
    const Principal = "apigateway.amazonaws.com";
    resources[`${name}Permission`] = {
      Type: "AWS::Lambda::Permission",
      Properties: { Action: "lambda:InvokeFunction", FunctionName: arn, Principal },
    };
  }
  for (const [index, [RouteKey, name]] of Object.entries(routes).entries()) {
    const Target = { "Fn::Join": ["", ["integrations/", { Ref: `${name}Integration` }]] };
    resources[`Route${index}`] = { Type: "AWS::ApiGatewayV2::Route", Properties: { ApiId, RouteKey, Target } };
  }
  return resources;
};

/** Returns the alias `live` of a function and its version, as the CDK writes them. */
export const aliasOf = (name: string): Resources => ({
  [`${name}Live`]: {
    Type: "AWS::Lambda::Alias",
    Properties: {
      FunctionName: { Ref: name },
      FunctionVersion: { "Fn::GetAtt": [`${name}Version`, "Version"] },
      Name: "live",
    },
  },
  [`${name}Version`]: { Type: "AWS::Lambda::Version", Properties: { FunctionName: { Ref: name } } },
});

/** Returns a table with the key `id`. */
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

/** Returns a nested stack whose template is written by `writeAssembly`. */
export const nestedStack = (id: string, properties: object): Resources => ({
  [id]: {
    Type: "AWS::CloudFormation::Stack",
    Metadata: { "aws:asset:path": `${id}.nested.template.json` },
    ...properties,
  },
});

/** Writes a cloud assembly of one stack with its nested stacks, like the CDK, and returns its folder. */
export const writeAssembly = async (
  directory: string,
  {
    resources,
    code = {},
    nested = {},
    ...rest
  }: {
    resources: Resources;
    code?: Record<string, Record<string, string>>;
    /** The templates of nested stacks, by logical id. */
    nested?: Record<string, { Resources: Resources; Parameters?: object; Outputs?: object }>;
    Conditions?: object;
  },
): Promise<string> => {
  const assembly = join(directory, "cdk.out");
  await mkdir(assembly, { recursive: true });
  for (const [name, files] of Object.entries(code)) {
    await mkdir(join(assembly, `asset.${name}`), { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(join(assembly, `asset.${name}`, file), text);
  }
  for (const [id, template] of Object.entries(nested)) {
    await writeFile(join(assembly, `${id}.nested.template.json`), JSON.stringify(template));
  }
  const artifacts = { Test: { type: "aws:cloudformation:stack", properties: { templateFile: "Test.template.json" } } };
  await writeFile(join(assembly, "Test.template.json"), JSON.stringify({ ...rest, Resources: resources }));
  await writeFile(join(assembly, "manifest.json"), JSON.stringify({ version: "54.0.0", artifacts }));
  return assembly;
};
