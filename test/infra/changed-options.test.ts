import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { tableIdOf } from "../../infra/constructs/service-tables.ts";
import { storeNames } from "../../lambdas/resources/stores.ts";
import { readSharedOutputs, type SharedOutput } from "../../tools/upgrade/data-stacks.ts";
import { type OptionSet, singleOptions, synthesiseTemplates } from "../support/stages.ts";
import { type Resource, readTemplate, type Template } from "../support/template.ts";

interface Deployment {
  all: Template;
  data: Template;
  shared: Record<string, SharedOutput>;
  /** The names of the exports that the API's stack imports. */
  imports: Set<string>;
}

const deploymentWith = async (options: OptionSet): Promise<Deployment> => {
  const folder = await synthesiseTemplates(options);
  const api = await readFile(join(folder, "IntegrationApi.template.json"), "utf8");
  return {
    all: await readTemplate(folder),
    data: await readTemplate(folder, "IntegrationApiData"),
    shared: await readSharedOutputs(folder),
    imports: new Set([...api.matchAll(/"Fn::ImportValue": ?"([^"]+)"/g)].map(([, name = ""]) => name)),
  };
};

const exportsOf = ({ shared }: Deployment): Map<string, unknown> =>
  new Map(Object.values(shared).flatMap(({ exportName, value }) => (exportName ? [[exportName, value]] : [])));

/** The properties of a stack's resources that differ, as `LogicalId.Property`. */
const changedProperties = (before: Template, after: Template): string[] =>
  Object.entries(before.resources).flatMap(([id, { Properties: was }]) => {
    const is = after.resources[id]?.Properties;
    if (!is) return [];
    const names = new Set([...Object.keys(was), ...Object.keys(is)]);
    return [...names]
      .filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
      .map((name) => `${id}.${name}`);
  });

/** The changes of an option in the data stack. CloudFormation updates all of it without replacing the resource. */
const updatedData: Readonly<Record<string, string[]>> = {
  customerManagedKey: [
    ...storeNames.map(tableIdOf).flatMap((table) => [`${table}.Replicas`, `${table}.SSESpecification`]),
    "AccessLog.KmsKeyId",
    "NoticeTopic.KmsMasterKeyId",
  ],
  requireMfa: ["UserPool.MfaConfiguration"],
};

/** Resources that stay when an option is dropped and that do not collide with new ones: AWS generates their names, if any. */
const retained = new Set(["AWS::KMS::Key", "AWS::Lambda::Version", "AWS::CloudFormation::CustomResource"]);

const isDeleted = ({ DeletionPolicy }: Resource): boolean =>
  DeletionPolicy === undefined || DeletionPolicy === "Delete";

let without: Deployment;
beforeAll(async () => {
  without = await deploymentWith({ stage: "prod" });
});

describe.each(Object.entries(singleOptions))(
  "%s, given to a deployed service, dropped and given again",
  (name, options) => {
    let given: Deployment;
    beforeAll(async () => {
      given = await deploymentWith(options);
    });

    test("leaves nothing behind that a second deployment would collide with", () => {
      const added = Object.entries(given.all.resources).filter(([id]) => !Object.hasOwn(without.all.resources, id));
      const removed = Object.entries(without.all.resources).filter(([id]) => !Object.hasOwn(given.all.resources, id));

      for (const [id, resource] of [...added, ...removed]) {
        expect(isDeleted(resource) || retained.has(resource.Type), `${id} (${resource.Type})`).toBe(true);
      }
    });

    test("never removes or changes an export that the deployed stack of the API imports", () => {
      for (const [before, after] of [
        [without, given],
        [given, without],
      ] as const) {
        const [was, is] = [exportsOf(before), exportsOf(after)];
        for (const imported of before.imports) {
          expect(is.has(imported), imported).toBe(true);
          expect(is.get(imported)).toEqual(was.get(imported));
        }
      }
    });

    test("updates the data stack's resources in place", () => {
      expect(changedProperties(without.data, given.data).toSorted()).toEqual((updatedData[name] ?? []).toSorted());
    });
  },
);
