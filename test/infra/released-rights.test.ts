import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { expect, inject, test } from "vitest";
import { addRelease, parseReleases, type ReleasedRights } from "../../infra/constructs/released-rights.ts";
import { ServiceFunction } from "../../infra/constructs/service-function.ts";
import { ServiceTables } from "../../infra/constructs/service-tables.ts";
import { tableStatements } from "../../infra/constructs/table-statements.ts";
import { functionsOf } from "../../infra/functions.ts";
import { stages } from "../../infra/stages/stage.ts";
import { api } from "../../lambdas/api.ts";
import { tables } from "../../lambdas/domain/built-in-stores.ts";
import { rightsOn } from "../../lambdas/dynamodb/uses.ts";

/** Returns a function's actions on the table of keys if it reads keys and has these released permissions. */
const actionsOn = async (...released: ReleasedRights[]): Promise<unknown[]> => {
  const folder = await mkdtemp(join(inject("otherAssemblies"), "function-"));
  const bundleFolder = join(folder, "bundle");
  await mkdir(bundleFolder);
  const stack = new Stack(new App({ outdir: join(folder, "assembly") }), "Stack");
  const declared = { keys: tables.keys };
  new ServiceFunction(stack, "v1-get-key", {
    tables: new ServiceTables(stack, "Tables", { declared, keepsData: false, encryptionKey: undefined }).tables,
    kind: "endpoint",
    description: "",
    uses: { keys: ["get"] },
    bundleFolder,
    variables: {},
    logGroup: new LogGroup(stack, "Log"),
    stage: stages.dev,
    released,
  });
  const policies = Object.values(Template.fromStack(stack).findResources("AWS::IAM::Policy"));
  const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
  return statements.map(({ Action }) => Action).filter((action) => JSON.stringify(action).includes("dynamodb:"));
};

test("a function keeps the permissions of each release to which it can be rolled back", async () => {
  expect(await actionsOn()).toEqual(["dynamodb:GetItem"]);
  expect(await actionsOn({ stores: { keys: ["DeleteItem"] } })).toEqual([["dynamodb:GetItem", "dynamodb:DeleteItem"]]);
});

test("a release's recorded permissions grant what its functions declare", () => {
  const functions = functionsOf(api);
  const recorded = parseReleases(JSON.stringify(addRelease({}, "1.0.0", functions, api.tables)))["1.0.0"] ?? {};

  expect(Object.keys(recorded)).toEqual(functions.map(({ name }) => name));
  for (const { name, uses, sendsNotices } of functions) {
    expect(recorded[name]?.sendsNotices, name).toBe(sendsNotices);
    for (const [store, table] of Object.entries(api.tables)) {
      const declared = tableStatements("arn", rightsOn(table, uses[store] ?? []));
      expect(tableStatements("arn", recorded[name]?.stores[store] ?? []), name).toEqual(declared);
    }
  }
});

test("a recorded release keeps the permissions of its predecessor, but of no older release", () => {
  const before = { "1.0.0": {}, "1.1.0": { site: { stores: {} } } };

  expect(addRelease(before, "1.2.0", [], {})).toEqual({ "1.1.0": before["1.1.0"], "1.2.0": {} });
  expect(Object.keys(addRelease(before, "1.1.0", [], {}))).toEqual(["1.0.0", "1.1.0"]);
});
