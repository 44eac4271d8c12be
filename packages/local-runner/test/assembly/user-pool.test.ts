import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { readApplication } from "../../src/assembly/application.ts";
import { localAwsEnvironment } from "../../src/support/aws-environment.ts";
import { newDirectory, temporaryDirectory } from "../support/folders.ts";
import { writeLoginAssembly } from "../support/login-assembly.ts";

const places = {
  environment: localAwsEnvironment(),
  baseUrl: "http://127.0.0.1:3000",
  loginUrl: "http://127.0.0.1:3003",
};

type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>;

let synthesised: string;
beforeAll(async () => {
  const directory = await newDirectory();
  synthesised = await writeLoginAssembly(directory);
  return () => rm(directory, { recursive: true });
});

/** Reads the assembly that the CDK synthesised, after a change to its resources. */
const read = async (change: (resources: Resources) => void = () => {}) => {
  const assembly = await temporaryDirectory();
  await cp(synthesised, assembly, { recursive: true });
  const file = join(assembly, "Test.template.json");
  const template = JSON.parse(await readFile(file, "utf8"));
  change(template.Resources);
  await writeFile(file, JSON.stringify(template));
  return readApplication(assembly, places);
};

/** Sets properties of all resources of a type. */
const set = (type: string, properties: Record<string, unknown>) => (resources: Resources) => {
  for (const resource of Object.values(resources)) {
    if (resource.Type === `AWS::${type}`) Object.assign(resource.Properties, properties);
  }
};

test("a user pool is read from what the CDK synthesises", async () => {
  const { userPool, api } = await read();
  const clientId = userPool?.clients[0]?.id ?? "";

  expect(userPool).toEqual({
    isCaseSensitive: false,
    groups: ["Admin", "Superuser"],
    users: [{ username: "Alice", email: "alice@example.org", groups: ["Superuser", "Admin"] }],
    clients: [
      {
        id: expect.stringMatching(/^UsersWeb/),
        scopes: ["openid", "email"],
        callbackUrls: ["http://127.0.0.1:3000/"],
        logoutUrls: ["http://127.0.0.1:3000/"],
        accessTokenSeconds: 1800,
        idTokenSeconds: 600,
        mayRevoke: true,
      },
    ],
  });
  const authorizer = { issuer: "http://127.0.0.1:3003", audience: [clientId] };
  expect(api?.routes).toMatchObject([
    { routeKey: "GET /open", authorizer: undefined, scopes: [] },
    { routeKey: "GET /guarded", authorizer, scopes: [] },
    { routeKey: "GET /scoped", authorizer, scopes: ["admin", "email"] },
    { routeKey: "GET /out-of-reach", authorizer, scopes: ["admin"] },
  ]);
});

test.each([
  ["in days if its unit is days", { AccessTokenValidity: 1, TokenValidityUnits: { AccessToken: "days" } }, 86_400],
  ["in hours if it has no unit", { AccessTokenValidity: 2, TokenValidityUnits: undefined }, 7200],
  ["one hour if it is not given", { AccessTokenValidity: undefined, TokenValidityUnits: undefined }, 3600],
])("the lifetime of a token is %s", async (_, properties, seconds) => {
  const { userPool } = await read(set("Cognito::UserPoolClient", properties));
  expect(userPool?.clients[0]?.accessTokenSeconds).toBe(seconds);
});

const elsewhere = { UserPoolId: "us-east-1_elsewhere" };
const authorizerType = "ApiGatewayV2::Authorizer";

test.each([
  [
    "sign-in by e-mail address",
    set("Cognito::UserPool", { UsernameAttributes: ["email"] }),
    /Users.*UsernameAttributes/,
  ],
  ["triggers", set("Cognito::UserPool", { LambdaConfig: {} }), /Users.*LambdaConfig/],
  ["a second pool", (all: Resources) => Object.assign(all, { Other: all[poolOf(all)] }), /cannot both run locally/],
  ["a client with a secret", set("Cognito::UserPoolClient", { GenerateSecret: true }), /UsersWeb.*without a secret/],
  ["the implicit flow", set("Cognito::UserPoolClient", { AllowedOAuthFlows: ["code", "implicit"] }), /UsersWeb.*flow/],
  [
    "other directories",
    set("Cognito::UserPoolClient", { SupportedIdentityProviders: ["Google"] }),
    /UsersWeb.*own users/,
  ],
  ["a client of another pool", set("Cognito::UserPoolClient", elsewhere), /UsersWeb.*only the user pool of this app/],
  ["a group of another pool", set("Cognito::UserPoolGroup", elsewhere), /Admin.*only the user pool of this app/],
  ["a group with its own role", set("Cognito::UserPoolGroup", { RoleArn: "arn" }), /Admin.*RoleArn/],
  ["a group that does not exist", set("Cognito::UserPoolUserToGroupAttachment", { GroupName: "Other" }), /AliceIn/],
  ["a function as authorizer", set(authorizerType, { AuthorizerType: "REQUEST" }), /Apiusers.*only JWT authorizers/],
  ["a token from elsewhere", set(authorizerType, { IdentitySource: ["$request.querystring.t"] }), /Apiusers.*Identity/],
  [
    "another issuer",
    set(authorizerType, { JwtConfiguration: { Issuer: "https://login.example", Audience: ["web"] } }),
    /Apiusers\w* of stack Test cannot run locally: it trusts the issuer https:\/\/login\.example, which is not/,
  ],
  [
    "tokens for any audience",
    set(authorizerType, { JwtConfiguration: { Issuer: places.loginUrl, Audience: [] } }),
    /Apiusers.*Audience/,
  ],
  [
    "an authorizer that does not exist",
    (all: Resources) => {
      for (const { Type, Properties } of Object.values(all)) {
        if (Type === "AWS::ApiGatewayV2::Route" && Properties.AuthorizerId) Properties.AuthorizerId = "other";
      }
    },
    /Route GET \/guarded has the authorizer other, which does not exist/,
  ],
])("%s is refused, and the message says where", async (_, change, message) => {
  await expect(read(change)).rejects.toThrow(message);
});

const poolOf = (resources: Resources): string =>
  Object.keys(resources).find((id) => resources[id]?.Type === "AWS::Cognito::UserPool") ?? "";
