import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Application, readApplication } from "../../src/assembly/application.ts";
import { ignoreFile } from "../../src/assembly/cloud-assembly.ts";
import { localAwsEnvironment } from "../../src/support/aws-environment.ts";
import {
  aliasOf,
  apiResources,
  functionResources,
  type Resources,
  tableResource,
  writeAssembly,
} from "../support/assemblies.ts";
import { writeLoginAssembly } from "../support/login-assembly.ts";
import { noticeAssembly } from "../support/notice-assembly.ts";
import { newDirectory, temporaryDirectory } from "../support/services.ts";

const places = {
  environment: localAwsEnvironment(),
  baseUrl: "http://127.0.0.1:3000",
  loginUrl: "http://127.0.0.1:3003",
};

const code = { g: {}, f: { "index.js": "exports.handler = async () => 'from f'" } };

const read = async (resources: Resources): Promise<Application> =>
  readApplication(await writeAssembly(await temporaryDirectory(), { resources, code }), places);

const directories = await Promise.all([newDirectory(), newDirectory()]);
afterAll(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true }))));
const synthesised = { login: writeLoginAssembly(directories[0]), notices: noticeAssembly(directories[1]) };

type Synthesised = Record<string, { Type: string; Properties: Record<string, unknown> }>;
type Change = (resources: Synthesised) => void;

/** Reads an assembly of the CDK after a change to its resources. */
const readChanged = async (app: keyof typeof synthesised, change: Change): Promise<Application> => {
  const assembly = await temporaryDirectory();
  await cp(synthesised[app], assembly, { recursive: true });
  const file = join(assembly, "Test.template.json");
  const template = JSON.parse(await readFile(file, "utf8"));
  change(template.Resources);
  await writeFile(file, JSON.stringify(template));
  return readApplication(assembly, places);
};

const readLogin = (change: Change = () => {}) => readChanged("login", change);

/** Sets properties of all synthesised resources of a type. */
const set = (type: string, properties: Record<string, unknown>) => (resources: Synthesised) => {
  for (const resource of Object.values(resources)) {
    if (resource.Type === `AWS::${type}`) Object.assign(resource.Properties, properties);
  }
};

const api = (logicalId: string, properties: object): Resources => {
  const resources = { ...functionResources("f"), ...apiResources({ $default: "f" }) };
  Object.assign(resources[logicalId]?.Properties ?? {}, properties);
  return resources;
};

/** A function and its alias. The alias comes before the resources that it refers to. */
const aliased = ({ alias = {}, permittedOn = { Ref: "fLive" } as object } = {}): Resources => {
  const resources = { ...aliasOf("f"), ...api("fIntegration", { IntegrationUri: { Ref: "fLive" } }) };
  Object.assign(resources.fLive?.Properties ?? {}, alias);
  Object.assign(resources.fPermission?.Properties ?? {}, { FunctionName: permittedOn });
  return resources;
};

const withStatement = (extra: object): Resources =>
  functionResources("f", { statements: [{ Effect: "Allow", Action: "dynamodb:*", Resource: "*", ...extra }] });
const withFunction = (properties: object): Resources => functionResources("f", { properties });
const withoutCode = (): Resources => {
  const resources = withFunction({});
  Object.assign(resources.f?.Metadata ?? {}, { "aws:asset:path": "missing" });
  return resources;
};
const attributes = (name: string) => ({ "ForAllValues:StringEquals": { [`dynamodb:${name}`]: ["a"] } });

test.for<[what: string, resources: Resources, message: RegExp]>([
  [
    "an unknown resource type",
    { Queue: { Type: "AWS::SQS::Queue" } },
    /AWS::SQS::Queue is not supported: Queue of stack Test/,
  ],
  ["two properties", withFunction({ VpcConfig: {}, Environment: { a: 1 } }), /Environment\.a [\s\S]+VpcConfig is/],
  ["a JWT route without an authorizer", api("Route0", { AuthorizationType: "JWT" }), /Route0 .*AuthorizerId/],
  [
    "a route that requires scopes",
    api("Route0", { AuthorizationType: "JWT", AuthorizerId: "a", AuthorizationScopes: ["read"] }),
    /Route0 .*AuthorizationScopes/,
  ],
  ["a stage with a prefix", api("Stage", { StageName: "v1" }), /Stage .*only the \$default stage/],
  ["payload format 1.0", api("fIntegration", { PayloadFormatVersion: "1.0" }), /fIntegration .*PayloadFormatVersion/],
  ["another runtime", withFunction({ Runtime: "python3.13" }), /only Node\.js functions run locally/],
  ["a missing property", withFunction({ Role: undefined }), /f \(.*Role: is missing/],
  ["two regions", { T: tableResource({ Replicas: [{}, {}] }) }, /T .*several regions/],
  ["a permission with an empty condition", withStatement({ Condition: {} }), /fRole .*Condition/],
  ["a known condition on another key", withStatement({ Condition: attributes("LeadingKeys") }), /fRole .*LeadingKeys/],
  ["a conditional denial", withStatement({ Effect: "Deny", Condition: attributes("Attributes") }), /fRole .*Condition/],
  ["a permission with an exclusion", withStatement({ NotResource: "*" }), /fRole .*NotResource/],
  ["an alias that splits its calls", aliased({ alias: { RoutingConfig: {} } }), /fLive .*RoutingConfig/],
  ["an alias of a foreign function", aliased({ alias: { FunctionName: "g" } }), /fLive refers to the function g/],
])("rejects %s, and the error says where it is", async ([, resources, message]) => {
  await expect(read(resources)).rejects.toThrow(message);
});

test.for<[what: string, resources: Resources, entries: string[]]>([
  ["each unknown property", withFunction({ VpcConfig: {}, Environment: { a: 1 } }), ["f.Environment.a", "f.VpcConfig"]],
  ["nothing for missing code", withoutCode(), []],
])("names as what to leave out %s", async ([, resources, entries]) => {
  await expect(read(resources)).rejects.toMatchObject({ entries });
});

const schedule = (properties: Record<string, unknown>) => set("Scheduler::Schedule", properties);

test.for<[what: string, change: Change, message: RegExp]>([
  [
    "a role that may not invoke the function",
    set("IAM::Policy", { PolicyDocument: { Statement: [] } }),
    /schedule\w+ of stack Test .*cannot run locally: its role may not invoke \S+:daily:live/,
  ],
  [
    "a role that Scheduler cannot assume",
    set("IAM::Role", { AssumeRolePolicyDocument: { Statement: [] } }),
    /does not let scheduler.amazonaws.com assume it/,
  ],
  ["another time zone", schedule({ ScheduleExpressionTimezone: "Europe/Berlin" }), /only schedules in UTC/],
  [
    "a queue as its target",
    schedule({ Target: { Arn: "arn:aws:sqs:::q", RoleArn: "r" } }),
    /q is not a function of this app/,
  ],
])("rejects a schedule with %s, and names it and the path that leaves it out", async ([, change, message]) => {
  const rejected = expect(readChanged("notices", change)).rejects;
  await rejected.toThrow(message);
  await rejected.toMatchObject({ entries: [expect.stringMatching(/^Test\/\w+$/)] });
});

test("does not run a disabled schedule", async () => {
  expect((await readChanged("notices", () => {})).schedules).toHaveLength(1);
  expect((await readChanged("notices", schedule({ State: "DISABLED" }))).schedules).toEqual([]);
});

test("ignores an attribute if configured, and rejects an entry that matches nothing as a likely typo", async () => {
  const label = { Environment: { Variables: { LABEL: { "Fn::GetAtt": ["T", "StreamLabel"] } } } };
  const resources = { ...withFunction(label), T: tableResource() };
  const assembly = await writeAssembly(await temporaryDirectory(), { resources, code });

  const { functions } = await readApplication(assembly, places, ["T.StreamLabel"]);
  expect(functions[0]?.environment).toEqual({ LABEL: "T" });
  await expect(readApplication(assembly, places, ["T.StreamLabel", "f.Vpc"])).rejects.toThrow(/No resource .* f\.Vpc/);
});

test("ignores what the assembly's own file names, and rejects a file in another form", async () => {
  const resources = { ...withFunction({}), Q: { Type: "AWS::SQS::Queue" } };
  const assembly = await writeAssembly(await temporaryDirectory(), { resources, code });

  await writeFile(join(assembly, ignoreFile), '{ "ignore": ["AWS::SQS::Queue"] }');
  expect((await readApplication(assembly, places)).ignored).toEqual(["Q (AWS::SQS::Queue)"]);
  await writeFile(join(assembly, ignoreFile), '["AWS::SQS::Queue"]');
  await expect(readApplication(assembly, places)).rejects.toThrow(/cdk-local-runner\.json cannot be run locally/);
});

test("rejects a reference from a running resource to one that a local run leaves out", async () => {
  const withReference = withFunction({ Environment: { Variables: { ALARM: { Ref: "Alarm" } } } });
  await expect(read({ Alarm: { Type: "AWS::CloudWatch::Alarm" }, ...withReference })).rejects.toThrow(
    /Alarm of stack Test \(AWS::CloudWatch::Alarm\) is left out of a local run, but something that runs refers to it/,
  );
});

const arn = "arn:aws:lambda:us-east-1:000000000000:function:f";

test("resolves the ARN of an alias or a version to the function", async () => {
  const name = { "Fn::Select": [6, { "Fn::Split": [":", { Ref: "fLive" }] }] };
  const Environment = { Variables: { ALIAS: { Ref: "gLive" }, NAME: name } };
  const { functionBehind, functions } = await read({
    ...aliased(),
    ...functionResources("g", { properties: { Environment } }),
    ...aliasOf("g"),
  });

  expect(functions[1]?.environment).toEqual({ ALIAS: `${arn.replace(/f$/, "g")}:live`, NAME: "f" });
  expect([arn, `${arn}:live`, `${arn}:1`].map(functionBehind)).toEqual([arn, arn, arn]);
});

test.for<[who: string, policy: object, role: object]>([
  ["the policy names the role", { Roles: [{ Ref: "fRole" }] }, {}],
  ["the role names the policy", {}, { ManagedPolicyArns: [{ Ref: "Managed" }] }],
])("grants a role the permissions of a managed policy if %s", async ([, policy, role]) => {
  const PolicyDocument = { Statement: [{ Effect: "Allow", Action: "dynamodb:GetItem", Resource: "*" }] };
  const resources = functionResources("f");
  Object.assign(resources.fRole?.Properties ?? {}, role);
  const Managed = { Type: "AWS::IAM::ManagedPolicy", Properties: { PolicyDocument, ...policy } };
  expect((await read({ ...resources, Managed })).functions[0]?.rights).toMatchObject([
    { actions: ["dynamodb:GetItem"] },
  ]);
});

test("does not apply a function's permission to its alias, as in AWS", async () => {
  const call = { routeKey: "$default", functionArn: `${arn}:live`, credentialsArn: undefined };
  const onFunction = await read(aliased({ permittedOn: { "Fn::GetAtt": ["f", "Arn"] } }));
  expect(onFunction.mayInvoke("Api", call)).toBe(false);
  expect((await read(aliased())).mayInvoke("Api", call)).toBe(true);
});

test("reads a user pool from the CDK's template", async () => {
  const { userPool, api } = await readLogin();
  const clientId = userPool?.clients[0]?.id ?? "";

  expect(userPool).toEqual({
    isCaseSensitive: false,
    groups: ["Admin", "Superuser"],
    clients: [
      {
        id: expect.stringMatching(/^UsersWeb/),
        name: undefined,
        scopes: ["openid", "email"],
        callbackUrls: ["http://127.0.0.1:3000/"],
        logoutUrls: ["http://127.0.0.1:3000/"],
        accessTokenSeconds: 1800,
        idTokenSeconds: 600,
      },
    ],
  });
  const authorizer = { issuer: "http://127.0.0.1:3003", audience: [clientId] };
  expect(api?.routes).toMatchObject([
    { routeKey: "GET /open", authorizer: undefined },
    { routeKey: "GET /guarded", authorizer },
  ]);
});

test("treats a token lifetime without a unit as hours", async () => {
  const change = set("Cognito::UserPoolClient", { AccessTokenValidity: 2, TokenValidityUnits: undefined });
  const { userPool } = await readLogin(change);
  expect(userPool?.clients[0]?.accessTokenSeconds).toBe(7200);
});

const client = (properties: Record<string, unknown>) => set("Cognito::UserPoolClient", properties);
const authorizer = (properties: Record<string, unknown>) => set("ApiGatewayV2::Authorizer", properties);
const trusting = (Issuer: string, Audience: string[]) => authorizer({ JwtConfiguration: { Issuer, Audience } });
const elsewhere = { UserPoolId: "us-east-1_elsewhere" };
const poolOf = (resources: Synthesised): string =>
  Object.keys(resources).find((id) => resources[id]?.Type === "AWS::Cognito::UserPool") ?? "";

test.for<[what: string, change: Change, message: RegExp]>([
  ["a second pool", (all) => Object.assign(all, { Other: all[poolOf(all)] }), /cannot both run locally/],
  ["a client with a secret", client({ GenerateSecret: true }), /UsersWeb.*without a secret/],
  ["the implicit flow", client({ AllowedOAuthFlows: ["code", "implicit"] }), /UsersWeb.*flow/],
  ["other directories", client({ SupportedIdentityProviders: ["Google"] }), /UsersWeb.*own users/],
  ["a client of another pool", client(elsewhere), /UsersWeb.*only the user pool of this app/],
  ["a group of another pool", set("Cognito::UserPoolGroup", elsewhere), /Admin.*only the user pool of this app/],
  ["a function as authorizer", authorizer({ AuthorizerType: "REQUEST" }), /Apiusers.*only JWT authorizers/],
  ["a token from elsewhere", authorizer({ IdentitySource: ["$request.querystring.t"] }), /Apiusers.*Identity/],
  [
    "another issuer",
    trusting("https://a", ["web"]),
    /Apiusers.* trusts the issuer https:\/\/a, which is not a user pool/,
  ],
  [
    "an authorizer that does not exist",
    (all) => {
      for (const { Properties } of Object.values(all)) if (Properties.AuthorizerId) Properties.AuthorizerId = "other";
    },
    /Route GET \/guarded has the authorizer other, which does not exist/,
  ],
])("rejects %s, and the error says where it is", async ([, change, message]) => {
  await expect(readLogin(change)).rejects.toThrow(message);
});
