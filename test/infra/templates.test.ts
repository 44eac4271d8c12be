import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { stageNames } from "../../infra/stages/stage.ts";
import { everyOption, everyTableRestored, type OptionSet, optionSets, synthesiseTemplates } from "../support/stages.ts";

const section = z._default(z.record(z.string(), z.unknown()), {});
const templateShape = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), DeletionPolicy: z.optional(z.string()), Properties: section }),
  ),
  Outputs: z._default(z.record(z.string(), z.object({ Export: z.optional(z.object({ Name: z.string() })) })), {}),
});

/** Returns the templates of the stacks with these options, by file name. */
const templatesWith = async (options: OptionSet) => {
  const folder = await synthesiseTemplates(options);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".template.json"));
  const texts = files.map(async (file) => ({ file, text: await readFile(join(folder, file), "utf8") }));
  return (await Promise.all(texts)).map(({ file, text }) => ({ file, text, ...templateShape.parse(JSON.parse(text)) }));
};

/** Names that may be equal in two stages, because equal names do not refer to the same thing here. */
const notUniqueByThemselves: Readonly<Record<string, string>> = {
  "AWS::ApiGatewayV2::Api Name": "its id identifies an API",
  "AWS::ApiGatewayV2::Authorizer Name": "belongs to an API",
  "AWS::ApiGatewayV2::DomainName DomainName": "an operator gives each stage a domain of its own",
  "AWS::ApiGatewayV2::Stage StageName": "belongs to an API",
  "AWS::CloudWatch::Alarm MetricName": "belongs to a namespace and dimensions",
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
const namesIn = async (options: OptionSet): Promise<PhysicalName[]> =>
  (await templatesWith(options)).flatMap(({ file, Resources, Outputs }) => {
    const textOf = (value: unknown) =>
      JSON.stringify(value, (_, part) =>
        referenceShape.safeParse(part).success ? `${options.stage} ${file} ${JSON.stringify(part)}` : part,
      );
    const exported = Object.values(Outputs).flatMap(({ Export }) =>
      Export ? [{ resource: "export", name: Export.Name, isRetained: false }] : [],
    );
    const named = Object.entries(Resources).flatMap(([id, { Type, DeletionPolicy = "Delete", Properties }]) => {
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
    return [...exported, ...named];
  });

/** The options of each stage, by stage. */
const optionsByStage = Object.groupBy(
  [
    ...optionSets,
    ...stageNames.flatMap((stage) => [everyOption, everyTableRestored].map((options) => ({ ...options, stage }))),
  ],
  ({ stage = "prod" }) => stage,
);

test("no name occurs in two stages of one account and region, whatever their options", async () => {
  const stages = new Map<string, Set<string>>();
  for (const [stage, sets = []] of Object.entries(optionsByStage)) {
    for (const { name } of (await Promise.all(sets.map(namesIn))).flat()) {
      stages.set(name, (stages.get(name) ?? new Set()).add(stage));
    }
  }

  expect(stages.size).toBeGreaterThan(100);
  expect([...stages].filter(([, { size }]) => size > 1)).toEqual([]);
});

test("retained resources have names that AWS generates or that no new stack reuses", async () => {
  for (const options of [everyOption, { stage: "staging" }]) {
    const retained = (await namesIn(options)).filter(({ isRetained }) => isRetained);

    expect(retained.map(({ resource }) => resource)).toContain("NoticeBus (AWS::Events::EventBus Name)");
    for (const { resource, name } of retained) expect(name, resource).toContain(".template.json");
  }
});
