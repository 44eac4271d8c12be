import { beforeAll, describe, expect, test } from "vitest";
import { functionsOf } from "../../../../infra/functions.ts";
import { api } from "../../../../lambdas/api.ts";
import { everyTableRestored } from "../../../../tools/support/every-option.ts";
import { synthesiseTemplates } from "../../../support/option-sets.ts";
import { readTemplate, statementsOf, type Template } from "../../../support/template.ts";

let template: Template;
beforeAll(async () => {
  template = await readTemplate();
});

const functionNames = functionsOf(api).map(({ name }) => name);
const groupsOf = ({ ofType }: Template) => Object.entries(ofType("AWS::CodeDeploy::DeploymentGroup"));

describe("a new version of a function", () => {
  test("gets a tenth of the calls first, and is rolled back if the function's alarm fires", () => {
    expect(groupsOf(template)).toHaveLength(functionNames.length);
    for (const [, { Properties, Metadata }] of groupsOf(template)) {
      const name = String(Metadata["aws:cdk:path"]).split("/").at(-2) ?? "";
      expect(Properties).toMatchObject({
        DeploymentConfigName: "CodeDeployDefault.LambdaCanary10Percent5Minutes",
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_REQUEST", "DEPLOYMENT_STOP_ON_ALARM"],
        },
        AlarmConfiguration: {
          Enabled: true,
          Alarms: [{ Name: { Ref: expect.stringContaining(`Monitoring${name.replaceAll("-", "")}Failing`) } }],
        },
      });
    }
  });

  test("is behind an alias, through which API Gateway, operators and logs always call it", () => {
    const aliases = template.ofType("AWS::Lambda::Alias");
    const groups = groupsOf(template).map(([id]) => id);

    expect(Object.keys(aliases)).toHaveLength(functionNames.length);
    for (const { UpdatePolicy } of Object.values(aliases)) {
      expect(UpdatePolicy).toMatchObject({
        CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: expect.toBeOneOf(groups) } },
      });
    }
    for (const { Properties } of Object.values(template.ofType("AWS::ApiGatewayV2::Integration"))) {
      expect(Properties.IntegrationUri).toEqual({ Ref: expect.toBeOneOf(Object.keys(aliases)) });
    }
    for (const { Properties } of Object.values(template.ofType("AWS::Lambda::Permission"))) {
      expect(Properties.FunctionName).toEqual({ Ref: expect.toBeOneOf(Object.keys(aliases)) });
    }
  });

  test("does not replace the previous version, which stays available for a rollback", () => {
    for (const version of Object.values(template.ofType("AWS::Lambda::Version"))) {
      expect(version).toMatchObject({ UpdateReplacePolicy: "Retain" });
      expect(version.DeletionPolicy).toMatch(/^Retain/);
    }
  });

  test("is deleted if its deployment fails, so that the same version can be deployed again", () => {
    const versions = Object.values(template.ofType("AWS::Lambda::Version"));

    expect(versions).toHaveLength(functionNames.length);
    for (const version of versions) expect(version).toMatchObject({ DeletionPolicy: "RetainExceptOnCreate" });
  });

  test("gets all calls at once if the operator says so, because CodeDeploy fails after an alias was switched by hand", async () => {
    const atOnce = await readTemplate(await synthesiseTemplates({ stage: "prod", useCodeDeploy: "false" }));

    expect(groupsOf(atOnce)).toEqual([]);
    for (const alias of Object.values(atOnce.ofType("AWS::Lambda::Alias"))) {
      expect(alias).not.toHaveProperty("UpdatePolicy");
    }
  });

  test("gets all calls at once if the operator says so, still with the alarm that rolls it back", async () => {
    const groups = groupsOf(await readTemplate(await synthesiseTemplates(everyTableRestored)));

    expect(groups).toHaveLength(functionNames.length);
    for (const [, { Properties }] of groups) {
      expect(Properties).toMatchObject({
        DeploymentConfigName: "CodeDeployDefault.LambdaAllAtOnce",
        AlarmConfiguration: { Enabled: true },
      });
    }
  });

  test("gets all calls at once in stages other than production", async () => {
    expect(groupsOf(await readTemplate(await synthesiseTemplates({ stage: "staging" })))).toEqual([]);
  });
});

test("can be shifted by CodeDeploy, which may change only the functions of this stack", () => {
  const functions = Object.keys(template.ofType("AWS::Lambda::Function"));
  const changed = statementsOf(template)
    .filter(({ actions }) => actions.includes("lambda:UpdateAlias"))
    .map(({ resource }) => /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(JSON.stringify(resource))?.[1]);

  expect(new Set(changed)).toEqual(new Set(functions));
});
