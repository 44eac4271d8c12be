import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SignIn } from "../../../../infra/constructs/sign-in.ts";
import { AdminUserPool } from "../../../../infra/constructs/user-pool.ts";

let folder: string;
let template: Template;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-sign-in-"));
  template = templateOf();
});
afterAll(() => rm(folder, { recursive: true }));

const templateOf = ({ keepsData = true, requiresMfa = true } = {}): Template => {
  const stack = new Stack(new App({ outdir: join(folder, `${keepsData}-${requiresMfa}`) }), "Stack");
  const userPool = new AdminUserPool(stack, "AdminUserPool", { keepsData, requiresMfa });
  new SignIn(stack, "SignIn", { userPool, baseUrl: "https://api.example.com" });
  return Template.fromStack(stack);
};

describe("the user pool", () => {
  test("has no sign-up, and requires strong passwords and an authenticator app", () => {
    template.hasResourceProperties("AWS::Cognito::UserPool", {
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      Policies: {
        PasswordPolicy: {
          MinimumLength: 14,
          RequireLowercase: true,
          RequireUppercase: true,
          RequireNumbers: true,
          RequireSymbols: true,
        },
      },
      MfaConfiguration: "ON",
      EnabledMfas: ["SOFTWARE_TOKEN_MFA"],
    });
  });

  test("accepts an authenticator app but does not require it if the operator says so", () => {
    templateOf({ requiresMfa: false }).hasResourceProperties("AWS::Cognito::UserPool", {
      MfaConfiguration: "OPTIONAL",
      EnabledMfas: ["SOFTWARE_TOKEN_MFA"],
    });
  });

  test("is retained when its stack is deleted, and has a logical id that must never change", () => {
    expect(template.findResources("AWS::Cognito::UserPool")).toMatchObject({
      UserPool: {
        DeletionPolicy: "Retain",
        UpdateReplacePolicy: "Retain",
        Properties: { DeletionProtection: "ACTIVE" },
      },
    });
  });

  test("has the groups Admin and Superuser, which outlive their stack like the pool, and no users", () => {
    template.resourceCountIs("AWS::Cognito::UserPoolGroup", 2);
    for (const GroupName of ["Admin", "Superuser"]) {
      template.hasResource("AWS::Cognito::UserPoolGroup", {
        DeletionPolicy: "RetainExceptOnCreate",
        UpdateReplacePolicy: "Retain",
        Properties: { GroupName },
      });
    }
    template.resourceCountIs("AWS::Cognito::UserPoolUser", 0);
  });

  test("is deleted with its groups in a stage that keeps no data", () => {
    const resources = Object.values(templateOf({ keepsData: false }).toJSON().Resources) as Record<string, unknown>[];

    expect(resources.filter(({ DeletionPolicy }) => String(DeletionPolicy).startsWith("Retain"))).toEqual([]);
  });
});

test("the web interface signs in with the code flow, without a secret, and returns only to the service", () => {
  template.resourceCountIs("AWS::Cognito::UserPoolClient", 1);
  template.hasResourceProperties("AWS::Cognito::UserPoolClient", {
    AllowedOAuthFlows: ["code"],
    GenerateSecret: false,
    CallbackURLs: ["https://api.example.com/"],
    LogoutURLs: ["https://api.example.com/"],
    PreventUserExistenceErrors: "ENABLED",
    AccessTokenValidity: 60,
  });
});

test("the login pages are Cognito's managed ones", () => {
  template.hasResourceProperties("AWS::Cognito::UserPoolDomain", { ManagedLoginVersion: 2 });
  template.hasResourceProperties("AWS::Cognito::ManagedLoginBranding", { UseCognitoProvidedValues: true });
});
