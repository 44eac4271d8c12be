import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import { changeIndex } from "../../lambdas/dynamodb/history.ts";
import { storeNames } from "../../lambdas/resources/stores.ts";
import { tableVariable } from "../../lambdas/resources/uses.ts";
import { everyTableRestored, keysRestored, synthesiseTemplates } from "../support/stages.ts";
import { constructIdOf, type Resource, readTemplate, statementsOf, type Template } from "../support/template.ts";

const noneRestored = { stage: "prod", customerManagedKey: "true" };
const keysRestoredWithOtherKey = { ...keysRestored, restoredTablesKey: everyTableRestored.restoredTablesKey };

const textOf = async (stack: string, context: Readonly<Record<string, string>>): Promise<string> =>
  readFile(join(await synthesiseTemplates(context), `${stack}.template.json`), "utf8");

const arnOf = (table: string) => ({
  "Fn::Join": [
    "",
    [
      "arn:",
      { Ref: "AWS::Partition" },
      ":dynamodb:",
      { Ref: "AWS::Region" },
      ":",
      { Ref: "AWS::AccountId" },
      `:table/${table}`,
    ],
  ],
});

const functions = functionsOf(api);

const variablesOf = ({ Properties }: Resource): Record<string, unknown> =>
  z.object({ Variables: z.record(z.string(), z.unknown()) }).parse(Properties.Environment).Variables;

/** The names of the functions that may use a key, by the key. */
const keyUsersOf = (template: Template, key: unknown) =>
  statementsOf(template)
    .filter(
      ({ actions, resource }) =>
        actions.includes("kms:DescribeKey") && JSON.stringify(resource) === JSON.stringify(key),
    )
    .map(({ functionName }) => functionName)
    .toSorted();

const ownKey = { "Fn::GetAtt": ["EncryptionKey", "Arn"] };

describe("a restored table in place of each of the stack's own", () => {
  let template: Template;
  beforeAll(async () => {
    template = await readTemplate(await synthesiseTemplates(everyTableRestored));
  });

  test("is the only table that functions know and may use", () => {
    for (const lambda of Object.values(template.ofType("AWS::Lambda::Function"))) {
      const { uses } = functions.find(({ name }) => name === constructIdOf(lambda)) ?? { uses: {} };
      const used = storeNames.filter((store) => store in uses);
      const variables = variablesOf(lambda);
      const named = storeNames.filter((store) => tableVariable(store) in variables);

      expect(named).toEqual(used);
      for (const store of used) expect(variables[tableVariable(store)]).toBe(`restored-${store}`);
    }
    const resources = statementsOf(template)
      .filter(({ actions }) => actions.some((action) => action.startsWith("dynamodb:")))
      .map(({ resource }) => resource);
    const restored = storeNames.map((store) => arnOf(`restored-${store}`));
    const indexes = storeNames.map((store) => arnOf(`restored-${store}/index/${changeIndex.name}`));
    for (const resource of resources) expect([...restored, ...indexes]).toContainEqual(resource);
    for (const arn of restored) expect(resources).toContainEqual(arn);
  });

  test.each(storeNames)("is watched by the alarms and the dashboard: %s", (store) => {
    const alarms = Object.values(template.ofType("AWS::CloudWatch::Alarm")).map((alarm) => JSON.stringify(alarm));
    const [dashboard] = Object.values(template.ofType("AWS::CloudWatch::Dashboard"));

    expect(alarms.filter((alarm) => alarm.includes(`"Value":"restored-${store}"`))).toHaveLength(2);
    expect(JSON.stringify(dashboard)).toContain(`\\"TableName\\",\\"restored-${store}\\"`);
  });

  test("is what the outputs name, for the commands of the runbook", () => {
    expect(template.outputs).toMatchObject({
      KeysTableName: { Value: "restored-keys" },
      TokensTableName: { Value: "restored-tokens" },
    });
  });

  test("leaves no trace of the stack's own tables in the API's stack", async () => {
    expect(await textOf("IntegrationApi", everyTableRestored)).not.toMatch(
      /ExportsOutput(Ref|FnGetAtt)(History|Keys|Limits|Notices|Tokens|Usage)Table/,
    );
  });

  test("can be used with its own key, and without the right to use the stack's key", () => {
    const users = functions.filter(({ uses }) => Object.keys(uses).length > 0).map(({ name }) => name);

    expect(keyUsersOf(template, everyTableRestored.restoredTablesKey)).toEqual(users.toSorted());
    expect(keyUsersOf(template, ownKey)).toEqual([]);
  });
});

describe("one restored table", () => {
  test.each([
    ["one table", keysRestored],
    ["every table", everyTableRestored],
  ])("%s: the data stack stays as it is, with all its tables and exports", async (_, restored) => {
    expect(JSON.parse(await textOf("IntegrationApiData", restored))).toEqual(
      JSON.parse(await textOf("IntegrationApiData", noneRestored)),
    );
  });

  test("leaves the other tables as they are", async () => {
    const template = await readTemplate(await synthesiseTemplates(keysRestored));
    const lambdas = Object.values(template.ofType("AWS::Lambda::Function"));
    const getKey = lambdas.filter((lambda) => constructIdOf(lambda) === "v1-get-key").map(variablesOf);

    expect(getKey).toEqual([
      expect.objectContaining({ KEYS_TABLE: "restored-keys", TOKENS_TABLE: { Ref: "TokensTable" } }),
    ]);
    expect(statementsOf(template)).toContainEqual(
      expect.objectContaining({
        functionName: "v1-get-key",
        actions: ["dynamodb:GetItem"],
        resource: { "Fn::GetAtt": ["TokensTable", "Arn"] },
      }),
    );
  });

  test("with a key of its own can be used by the functions that use the table, and by no others", async () => {
    const template = await readTemplate(await synthesiseTemplates(keysRestoredWithOtherKey));
    const usersOf = (uses: (stores: string[]) => boolean) =>
      functions.filter(({ uses: used }) => uses(Object.keys(used))).map(({ name }) => name);

    expect(keyUsersOf(template, keysRestoredWithOtherKey.restoredTablesKey)).toEqual(
      usersOf((stores) => stores.includes("keys")).toSorted(),
    );
    expect(keyUsersOf(template, ownKey)).toEqual(
      usersOf((stores) => stores.some((store) => store !== "keys")).toSorted(),
    );
  });

  test("is expected to have the stack's key unless another one is named", async () => {
    const template = await readTemplate(await synthesiseTemplates(keysRestored));
    const withOwnTables = await readTemplate(await synthesiseTemplates(noneRestored));

    expect(keyUsersOf(template, ownKey)).toEqual(keyUsersOf(withOwnTables, ownKey));
    expect(keyUsersOf(template, ownKey)).toContain("v1-get-key");
  });
});
