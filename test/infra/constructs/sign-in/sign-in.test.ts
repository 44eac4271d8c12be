import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SignIn } from "../../../../infra/constructs/sign-in/sign-in.ts";
import { AdminUserPool } from "../../../../infra/constructs/sign-in/user-pool.ts";

let folder: string;
let template: Template;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-sign-in-"));
  template = templateOf();
});
afterAll(() => rm(folder, { recursive: true }));

const templateOf = (superuserEmail?: string): Template => {
  const stack = new Stack(new App({ outdir: join(folder, superuserEmail ?? "nobody") }), "Stack");
  const userPool = new AdminUserPool(stack, "AdminUserPool", { keepsData: true, superuserEmail });
  new SignIn(stack, "SignIn", { userPool, baseUrl: "https://api.example.com" });
  return Template.fromStack(stack);
};

describe("the user pool", () => {
  test("has no sign-up, requires strong passwords and offers a second factor", () => {
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

  test("has the groups Admin and Superuser, and no users", () => {
    template.resourceCountIs("AWS::Cognito::UserPoolGroup", 2);
    for (const GroupName of ["Admin", "Superuser"]) {
      template.hasResourceProperties("AWS::Cognito::UserPoolGroup", { GroupName });
    }
    template.resourceCountIs("AWS::Cognito::UserPoolUser", 0);
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

test("the first Superuser is invited by mail, and remains if the option is omitted later", () => {
  const invited = templateOf("ops@example.com");
  invited.hasResource("AWS::Cognito::UserPoolUser", {
    DeletionPolicy: "Retain",
    Properties: {
      Username: "ops@example.com",
      DesiredDeliveryMediums: ["EMAIL"],
      UserAttributes: Match.arrayWith([{ Name: "email", Value: "ops@example.com" }]),
    },
  });
  invited.hasResource("AWS::Cognito::UserPoolUserToGroupAttachment", {
    DeletionPolicy: "Retain",
    Properties: { GroupName: { Ref: Match.stringLikeRegexp("SuperuserGroup") } },
  });
});
