import { expect, test } from "vitest";
import * as z from "zod/mini";
import { stageNames } from "../../infra/stages/stage.ts";
import { everyOption, everyTableRestored, type OptionSet, optionSets, synthesiseTemplates } from "../support/stages.ts";
import { readTemplate } from "../support/template.ts";

/** Names that may be equal in two stages, because equal names do not refer to the same thing here. */
const notUniqueByThemselves: Readonly<Record<string, string>> = {
  "AWS::ApiGatewayV2::Api Name": "its id identifies an API",
  "AWS::ApiGatewayV2::Authorizer Name": "belongs to an API",
  "AWS::ApiGatewayV2::DomainName DomainName": "an operator gives each stage its own domain",
  "AWS::ApiGatewayV2::Stage StageName": "belongs to an API",
  "AWS::CloudWatch::Alarm MetricName": "belongs to a namespace and dimensions",
  "AWS::Cognito::UserPoolClient ClientName": "its id identifies a client",
  "AWS::Cognito::UserPoolGroup GroupName": "belongs to a pool",
  "AWS::CodeDeploy::DeploymentGroup DeploymentConfigName": "is AWS's own",
  "AWS::CodeDeploy::DeploymentGroup DeploymentGroupName": "belongs to an application",
  "AWS::IAM::Policy PolicyName": "belongs to a role",
  "AWS::Lambda::Alias Name": "belongs to a function",
  "AWS::SNS::Topic DisplayName": "stands in mails",
};

const sameEverywhere = ["AWS::AccountId", "AWS::Partition", "AWS::Region", "AWS::URLSuffix"];
const referenceShape = z.union([
  z.object({ Ref: z.string().check(z.refine((name) => !sameEverywhere.includes(name))) }),
  z.object({ "Fn::GetAtt": z.unknown() }),
]);

interface PhysicalName {
  resource: string;
  name: string;
  isRetained: boolean;
}

/** Returns every name that a stack assigns, with references to its own resources and its id made distinct from other stacks'. */
const namesIn = async (options: OptionSet): Promise<PhysicalName[]> => {
  const folder = await synthesiseTemplates(options);
  const names = ["IntegrationApiData", "IntegrationApi"].map(async (stack) => {
    const { resources, exports } = await readTemplate(folder, stack);
    const textOf = (value: unknown) =>
      JSON.stringify(value, (_, part) =>
        referenceShape.safeParse(part).success ? `in ${options.stage} ${stack}: ${JSON.stringify(part)}` : part,
      );
    const named = Object.entries(resources).flatMap(([id, { Type, DeletionPolicy = "Delete", Properties }]) => {
      const { MetricTransformations: [metric = {}] = [] } = Properties as { MetricTransformations?: object[] };
      return Object.entries({ ...Properties, ...metric })
        .filter(([property]) => /^(\w*Name|Domain|\w+Namespace)$/.test(property))
        .filter(([property]) => property !== "MetricName" && !(`${Type} ${property}` in notUniqueByThemselves))
        .map(([property, value]) => ({
          resource: `${id} (${Type} ${property})`,
          name: `${Type} ${textOf(value)}`,
          isRetained: DeletionPolicy.startsWith("Retain"),
        }));
    });
    return [...exports().map((name) => ({ resource: "export", name, isRetained: false })), ...named];
  });
  return (await Promise.all(names)).flat();
};

/** The options of each stage, by stage. */
const optionsByStage = Object.groupBy(
  [
    ...optionSets,
    ...stageNames.flatMap((stage) => [everyOption, everyTableRestored].map((options) => ({ ...options, stage }))),
  ],
  ({ stage = "prod" }) => stage,
);

test("no name is used in two stages of the same account and region, whatever their options", async () => {
  const stages = new Map<string, Set<string>>();
  for (const [stage, sets = []] of Object.entries(optionsByStage)) {
    for (const { name } of (await Promise.all(sets.map(namesIn))).flat()) {
      stages.set(name, (stages.get(name) ?? new Set()).add(stage));
    }
  }

  expect(stages.size).toBeGreaterThan(100);
  expect([...stages].filter(([, { size }]) => size > 1)).toEqual([]);
});

test("retained resources have AWS-generated names or names that no new stack reuses", async () => {
  for (const options of [everyOption, { stage: "staging" }]) {
    const retained = (await namesIn(options)).filter(({ isRetained }) => isRetained);

    expect(retained.map(({ resource }) => resource)).toContain("NoticeBus (AWS::Events::EventBus Name)");
    for (const { resource, name } of retained) expect(name, resource).toContain(`in ${options.stage} `);
  }
});
