import { beforeAll, describe, expect, test } from "vitest";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import { everyTableRestored } from "../../tools/support/every-option.ts";
import { synthesiseTemplates } from "../support/stages.ts";
import { constructIdOf, type Resource, readTemplate, statementsOf, type Template } from "../support/template.ts";

let template: Template;
beforeAll(async () => {
  template = await readTemplate();
});

const functionNames = functionsOf(api).flatMap(({ name, kind }) => (kind === "check" ? [] : [name]));
/** Returns the name of an alias's function. */
const functionOf = ({ Metadata }: Resource) => String(Metadata["aws:cdk:path"]).split("/").at(-3) ?? "";
const groupsOf = ({ ofType }: Template) => Object.entries(ofType("AWS::CodeDeploy::DeploymentGroup"));

describe("a new version of a function", () => {
  test("first gets a tenth of the calls, or all calls for the site, and is rolled back if its alarm fires", () => {
    expect(groupsOf(template)).toHaveLength(functionNames.length);
    for (const [, { Properties, Metadata }] of groupsOf(template)) {
      const name = String(Metadata["aws:cdk:path"]).split("/").at(-2) ?? "";
      expect(Properties).toMatchObject({
        DeploymentGroupName: name,
        // A page must not request its files from another version.
        DeploymentConfigName:
          name === "site" ? "CodeDeployDefault.LambdaAllAtOnce" : "CodeDeployDefault.LambdaCanary10Percent5Minutes",
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_REQUEST", "DEPLOYMENT_STOP_ON_ALARM"],
        },
        AlarmConfiguration: {
          Enabled: true,
          Alarms: [
            { Name: { Ref: expect.stringContaining(`Monitoring${name.replaceAll("-", "").repeat(2)}failing`) } },
          ],
        },
      });
    }
  });

  test("gets no calls until a check, which is updated first, has tested all versions one after another", () => {
    const [check] = Object.keys(template.ofType("AWS::Lambda::Function")).filter((id) => id.startsWith("versioncheck"));
    const customResources = Object.entries(template.ofType("AWS::CloudFormation::CustomResource"));
    const [checked, resource] = customResources.find(([, { Properties }]) => "Versions" in Properties) ?? [];
    const versions = Object.keys(template.ofType("AWS::Lambda::Version")).map((id) => ({ Ref: id }));

    // One execution of the check covers all versions, and nothing else calls them before they get traffic.
    expect(resource).toMatchObject({
      DependsOn: expect.arrayContaining([check]),
      Properties: { ServiceToken: { "Fn::GetAtt": [check, "Arn"] }, ServiceTimeout: 1800 },
      DeletionPolicy: "Retain",
    });
    expect(Object.keys(resource?.Properties.Versions ?? {}).toSorted()).toEqual(functionNames.toSorted());
    expect(Object.values(resource?.Properties.Versions ?? {})).toEqual(expect.arrayContaining(versions));
    for (const alias of Object.values(template.ofType("AWS::Lambda::Alias"))) {
      expect(alias.DependsOn).toEqual(expect.arrayContaining([checked]));
      expect(JSON.stringify(alias.UpdatePolicy)).not.toContain("Hook");
    }
  });

  test("is behind an alias that API Gateway, operators and logs always use", () => {
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

  test.each(["prod", "staging"])("of the site waits for the admin functions' versions in %s", async (stage) => {
    const aliases = Object.entries(
      (await readTemplate(await synthesiseTemplates({ stage }))).ofType("AWS::Lambda::Alias"),
    );
    const idsOf = (names: string[]) => aliases.flatMap(([id, one]) => (names.includes(functionOf(one)) ? [id] : []));

    const [[, site] = []] = aliases.filter(([, one]) => functionOf(one) === "site");
    expect(site?.DependsOn).toEqual(expect.arrayContaining(idsOf(["admin", "admin-http"])));
    expect(idsOf(["admin", "admin-http"])).toHaveLength(2);
  });

  test("gets no calls from CodeDeploy if its alarm cannot be read", () => {
    for (const [, { Properties }] of groupsOf(template)) {
      expect(Properties.AlarmConfiguration).toMatchObject({ IgnorePollAlarmFailure: false });
    }
  });

  test("keeps the previous version, and is deleted if its deployment fails, so that it can be deployed again", () => {
    const versions = Object.values(template.ofType("AWS::Lambda::Version"));
    const policies = { UpdateReplacePolicy: "Retain", DeletionPolicy: "RetainExceptOnCreate" };

    expect(versions).toEqual(functionNames.map(() => expect.objectContaining(policies)));
  });

  test("gets all calls at once if the operator configures it, but is still rolled back by the alarm", async () => {
    const groups = groupsOf(await readTemplate(await synthesiseTemplates(everyTableRestored)));
    const group = { DeploymentConfigName: "CodeDeployDefault.LambdaAllAtOnce", AlarmConfiguration: { Enabled: true } };

    expect(groups.map(([, { Properties }]) => Properties)).toMatchObject(functionNames.map(() => group));
  });

  test.each([
    // CodeDeploy fails if somebody switched an alias by hand.
    ["without CodeDeploy", { stage: "prod", useCodeDeploy: "false" }],
    ["outside production", { stage: "staging" }],
  ])("gets all calls at once %s", async (_, options) => {
    const atOnce = await readTemplate(await synthesiseTemplates(options));

    const functions = Object.values(atOnce.ofType("AWS::Lambda::Function")).map(constructIdOf);

    expect(groupsOf(atOnce)).toEqual([]);
    expect(functions).not.toContain("version-check");
    for (const alias of Object.values(atOnce.ofType("AWS::Lambda::Alias"))) {
      expect(alias).not.toHaveProperty("UpdatePolicy");
    }
  });
});

test("CodeDeploy may change only this stack's functions, and the check may invoke their new versions", () => {
  const resourcesOf = (action: string, owner: string) =>
    statementsOf(template)
      .filter(({ functionName, actions }) => functionName === owner && actions.includes(action))
      .map(({ resource }) => JSON.stringify(resource));
  const functions = Object.keys(template.ofType("AWS::Lambda::Function")).filter(
    (id) => !/^(versioncheck|optionsguard)/.test(id),
  );
  const functionsIn = (action: string) =>
    resourcesOf(action, "Role").map((text) => /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(text)?.[1]);
  const versions = Object.keys(template.ofType("AWS::Lambda::Version")).map((id) => JSON.stringify({ Ref: id }));

  for (const action of ["GetAlias", "UpdateAlias", "GetProvisionedConcurrencyConfig"]) {
    expect(new Set(functionsIn(`lambda:${action}`)), action).toEqual(new Set(functions));
  }
  expect(resourcesOf("lambda:InvokeFunction", "version-check").toSorted()).toEqual(versions.toSorted());
  // The check reads this to find out whether the stack is being rolled back.
  expect(resourcesOf("cloudformation:DescribeStacks", "version-check")).toEqual(['{"Ref":"AWS::StackId"}']);
  // The schedule's role.
  expect(resourcesOf("lambda:InvokeFunction", "Role")).toEqual([expect.stringContaining('"noticeslive')]);
});
