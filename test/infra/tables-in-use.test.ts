import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { tableIdOf } from "../../infra/constructs/service-tables.ts";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import { storeNames, tables } from "../../lambdas/domain/built-in-stores.ts";
import type { AnyTable } from "../../lambdas/dynamodb/table.ts";
import { storesIn, tableVariable } from "../../lambdas/dynamodb/uses.ts";
import { everyTableRestored, keysRestored, type OptionSet, synthesiseTemplates } from "../support/stages.ts";
import { constructIdOf, type Resource, readTemplate, statementsOf, type Template } from "../support/template.ts";

const noneRestored = { stage: "prod", customerManagedKey: "true", monitoring: "full" };
const { restoredTablesKey: otherKey } = everyTableRestored;
const ownKey = { "Fn::GetAtt": ["EncryptionKey", "Arn"] };

const functions = functionsOf(api);

const textOf = async (stack: string, options: OptionSet): Promise<string> =>
  readFile(join(await synthesiseTemplates(options), `${stack}.template.json`), "utf8");

/** Returns a function's variables that name tables. */
const tableVariablesOf = ({ Properties }: Resource): Record<string, unknown> => {
  const { Variables } = z.object({ Variables: z.record(z.string(), z.unknown()) }).parse(Properties.Environment);
  const names = storeNames.map(tableVariable).filter((name) => name in Variables);
  return Object.fromEntries(names.map((name) => [name, Variables[name]]));
};

/** Returns the table of an ARN: the logical id in this stack, or the name of another table in this account and region. */
const tableIn = (arn: unknown): string | undefined =>
  /"Fn::GetAtt":\["(.+?)","Arn"\]|"AWS::Region"\},":",\{"Ref":"AWS::AccountId"\},":table\/([\w-]+)/
    .exec(JSON.stringify(arn))
    ?.slice(1)
    .find(Boolean);

/** Returns the names of the functions that may use a key, only through DynamoDB. */
const keyUsersOf = (template: Template, key: unknown): string[] =>
  statementsOf(template)
    .filter(({ actions, resource }) => actions.includes("kms:DescribeKey") && isDeepStrictEqual(resource, key))
    .filter(({ condition }) => /^\{"StringEquals":\{"kms:ViaService":.*"dynamodb\./.test(JSON.stringify(condition)))
    .map(({ functionName }) => functionName)
    .toSorted();

describe.each<[string, OptionSet]>([
  ["no table is restored", noneRestored],
  ["one table is restored", keysRestored],
  ["one table is restored with another key", { ...keysRestored, restoredTablesKey: otherKey }],
  ["every table is restored with another key", everyTableRestored],
])("if %s", (_, options) => {
  let template: Template;
  beforeAll(async () => {
    template = await readTemplate(await synthesiseTemplates(options));
  });

  const restored = (store: string) => (options as Record<string, string | undefined>)[`${store}Table`];
  const tableOf = (store: string) => restored(store) ?? { Ref: tableIdOf(store) };
  const keyOf = (store: string) => (restored(store) && options.restoredTablesKey) ?? ownKey;

  test.each(functions)("$name knows and can use only the tables that it declares", ({ name, uses }) => {
    const used = storesIn(uses);
    const lambdas = Object.values(template.ofType("AWS::Lambda::Function"));
    const allowed = statementsOf(template)
      .filter(({ functionName, actions }) => functionName === name && actions.some((one) => /^dynamodb:/.test(one)))
      .map(({ resource }) => tableIn(resource));

    expect(lambdas.filter((lambda) => constructIdOf(lambda) === name).map(tableVariablesOf)).toEqual([
      Object.fromEntries(used.map((store) => [tableVariable(store), tableOf(store)])),
    ]);
    expect(new Set(allowed)).toEqual(new Set(used.map((store) => restored(store) ?? tableIdOf(store))));
  });

  test.each([ownKey, otherKey])("only the functions that use a table with the key %j can use the key", (key) => {
    const users = functions.filter(({ uses }) => storesIn(uses).some((store) => keyOf(store) === key));

    expect(keyUsersOf(template, key)).toEqual(users.map(({ name }) => name).toSorted());
  });

  test.each(storeNames)(
    "full monitoring adds alarms for the table of %s and each of its indexes, and an output that names it for the runbook",
    (store) => {
      const value = `"Value":${JSON.stringify(tableOf(store))}`;
      const alarms = Object.values(template.ofType("AWS::CloudWatch::Alarm")).map((alarm) => JSON.stringify(alarm));

      const indexes = Object.keys((tables[store] as AnyTable).indexes ?? {});
      const ofTable = alarms.filter((alarm) => alarm.includes(value));
      const indexNames = ofTable.flatMap(
        (alarm) => /"GlobalSecondaryIndexName","Value":"(\w+)"/.exec(alarm)?.[1] ?? [],
      );
      expect(indexNames.toSorted()).toEqual(indexes.toSorted());
      expect(ofTable).toHaveLength(2 + indexes.length);
      expect(JSON.stringify(template.outputs[`${tableIdOf(store)}Name`])).toContain(
        restored(store) ?? tableIdOf(store),
      );
    },
  );
});

test.each([keysRestored, everyTableRestored])(
  "restored tables leave the data stack, its tables and its exports unchanged: %o",
  async (restored) => {
    const dataStack = async (options: OptionSet) => {
      const { Resources, ...others } = JSON.parse(await textOf("IntegrationApiData", options));
      // The guard knows all options.
      return { ...others, Resources: { ...Resources, OptionsGuard: undefined } };
    };
    expect(await dataStack(restored)).toEqual(await dataStack(noneRestored));
  },
);

test("the API stack uses only the restored tables, and the dashboard shows them", async () => {
  const { ofType } = await readTemplate(await synthesiseTemplates(everyTableRestored));
  const dashboard = JSON.stringify(ofType("AWS::CloudWatch::Dashboard"));

  expect(await textOf("IntegrationApi", everyTableRestored)).not.toMatch(
    /ExportsOutput(Ref|FnGetAtt)(History|Keys|Limits|Notices|Tokens|Usage)Table/,
  );
  for (const store of storeNames) expect(dashboard).toContain(`\\"TableName\\",\\"restored-${store}\\"`);
});
