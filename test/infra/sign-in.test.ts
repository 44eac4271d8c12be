import { App, Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { SignIn } from "../../infra/constructs/sign-in.ts";
import { AdminUserPool } from "../../infra/constructs/user-pool.ts";

const templateOf = (superuserEmail?: string): Template => {
  const stack = new Stack(new App(), "Stack");
  const userPool = new AdminUserPool(stack, "AdminUserPool", { keepsData: true, superuserEmail });
  new SignIn(stack, "SignIn", { userPool, baseUrl: "https://api.example.com" });
  return Template.fromStack(stack);
};

const template = templateOf();

describe("the user pool", () => {
  test("lets nobody sign up, wants strong passwords and offers a second factor", () => {
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

  test("is kept whatever happens to the stack, under an id that no refactoring may change", () => {
    expect(template.findResources("AWS::Cognito::UserPool")).toMatchObject({
      UserPool: {
        DeletionPolicy: "Retain",
        UpdateReplacePolicy: "Retain",
        Properties: { DeletionProtection: "ACTIVE" },
      },
    });
  });

  test("has the groups Admin and Superuser, and no user", () => {
    template.resourceCountIs("AWS::Cognito::UserPoolGroup", 2);
    for (const GroupName of ["Admin", "Superuser"]) {
      template.hasResourceProperties("AWS::Cognito::UserPoolGroup", { GroupName });
    }
    template.resourceCountIs("AWS::Cognito::UserPoolUser", 0);
  });
});

test("the web interface signs in by code, has no secret, and is sent back to the service alone", () => {
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

test("the login pages are the managed ones", () => {
  template.hasResourceProperties("AWS::Cognito::UserPoolDomain", { ManagedLoginVersion: 2 });
  template.hasResourceProperties("AWS::Cognito::ManagedLoginBranding", { UseCognitoProvidedValues: true });
});

test("a first Superuser is invited by mail, and stays when the address is left out later", () => {
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
