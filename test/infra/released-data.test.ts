import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { readOptions } from "../../infra/stages/options.ts";
import {
  dataStackOptions,
  isStateful,
  losses,
  readDataStack,
  readSharedOutputs,
} from "../../tools/upgrade/data-stacks.ts";
import { type DataStack, releasedDataStacks, releasedOutputs } from "../../tools/upgrade/release-folder.ts";
import { describeOptions, optionSets, synthesiseTemplates } from "../support/stages.ts";

let released: Record<string, DataStack>;
beforeAll(async () => {
  released = await releasedDataStacks();
});

const releasedAs = (name: string): DataStack => {
  const stack = released[name];
  if (!stack) throw new Error(`The last release has no data stack for ${name}.`);
  return stack;
};

test.each(Object.entries(dataStackOptions))("an upgrade keeps tables, users and keys: %s", async (name, context) => {
  expect(losses(releasedAs(name), await readDataStack(await synthesiseTemplates(context)))).toEqual([]);
});

test("all tables, the access log, the user pool and the key are compared", () => {
  expect(Object.keys(releasedAs("prod with a customer managed key").resources).toSorted()).toEqual([
    "AccessLog",
    "EncryptionKey",
    "KeysTable",
    "LimitsTable",
    "TokensTable",
    "UsageTable",
    "UserPool",
  ]);
});

test.each([
  "AWS::DynamoDB::GlobalTable",
  "AWS::DynamoDB::Table",
  "AWS::Cognito::UserPool",
  "AWS::KMS::Key",
  "AWS::S3::Bucket",
  "AWS::Events::EventBus",
  "AWS::SNS::Topic",
])("resources of the type %s are known to hold what must not be lost", (type) => {
  expect(isStateful(type)).toBe(true);
});

/** The data stack after a change of one resource's properties. */
const withProperties = (id: string, properties: Record<string, unknown>): DataStack => {
  const stack = releasedAs("prod with a customer managed key");
  const resource = stack.resources[id];
  if (!resource) throw new Error(`There is no resource ${id}.`);
  const changed = { ...resource, Properties: { ...resource.Properties, ...properties } };
  return { ...stack, resources: { ...stack.resources, [id]: changed } };
};

const renamed = (id: string, newId: string): DataStack => {
  const stack = releasedAs("prod with a customer managed key");
  const resources = Object.entries(stack.resources).map(([one, resource]) => [one === id ? newId : one, resource]);
  return { ...stack, resources: Object.fromEntries(resources) };
};

describe("a change that would lose data is found, with the resource and the property", () => {
  test.each<[string, () => DataStack, RegExp]>([
    [
      "another logical id of a table",
      () => renamed("KeysTable", "KeysTable1234"),
      /^KeysTable .*is gone.*overrideLogicalId/,
    ],
    ["another logical id of the user pool", () => renamed("UserPool", "Users"), /^UserPool .*is gone/],
    ["another logical id of the key", () => renamed("EncryptionKey", "Key"), /^EncryptionKey .*is gone/],
    [
      "another partition key",
      () => withProperties("KeysTable", { KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] }),
      /^KeySchema of KeysTable .*has changed/,
    ],
    [
      "another type of a partition key",
      () => withProperties("KeysTable", { AttributeDefinitions: [{ AttributeName: "key_id", AttributeType: "N" }] }),
      /^AttributeDefinitions of KeysTable .*has changed/,
    ],
    ["a name for a table", () => withProperties("TokensTable", { TableName: "tokens" }), /^TableName of TokensTable/],
    [
      "a local index",
      () => withProperties("UsageTable", { LocalSecondaryIndexes: [{ IndexName: "by-time" }] }),
      /^LocalSecondaryIndexes of UsageTable/,
    ],
    [
      "aliases for users",
      () => withProperties("UserPool", { AliasAttributes: ["email"] }),
      /^AliasAttributes of UserPool/,
    ],
    [
      "addresses as names of users",
      () => withProperties("UserPool", { UsernameAttributes: ["email"] }),
      /^UsernameAttributes/,
    ],
    [
      "names of users that depend on upper case",
      () => withProperties("UserPool", { UsernameConfiguration: { CaseSensitive: true } }),
      /^UsernameConfiguration of UserPool/,
    ],
    [
      "another rule for an attribute of users",
      () => withProperties("UserPool", { Schema: [{ Name: "email", Mutable: false, Required: true }] }),
      /^Schema of UserPool/,
    ],
    [
      "another kind of key",
      () => withProperties("EncryptionKey", { KeySpec: "RSA_2048" }),
      /^KeySpec of EncryptionKey/,
    ],
    [
      "another name of the stack",
      () => ({ ...releasedAs("prod with a customer managed key"), stackName: "IntegrationApi-data" }),
      /^The stack IntegrationApi-prod-data is now called/,
    ],
  ])("%s", (_, change, expected) => {
    const found = losses(releasedAs("prod with a customer managed key"), change());

    expect(found).toEqual([expect.stringMatching(expected)]);
  });
});

describe("a change that keeps data passes", () => {
  test.each<[string, () => DataStack]>([
    [
      "another table",
      () => {
        const stack = releasedAs("prod with a customer managed key");
        return {
          ...stack,
          resources: { ...stack.resources, OwnersTable: { Type: "AWS::DynamoDB::GlobalTable", Properties: {} } },
        };
      },
    ],
    [
      "another attribute of users",
      () => {
        const { Schema } = releasedAs("prod").resources.UserPool?.Properties ?? {};
        return withProperties("UserPool", {
          Schema: [...(Schema as object[]), { Name: "team", AttributeDataType: "String" }],
        });
      },
    ],
  ])("%s", (_, change) => {
    expect(losses(releasedAs("prod with a customer managed key"), change())).toEqual([]);
  });
});

const records = await releasedOutputs();

const advice =
  "An API's stack of this release needs these outputs of the data stack. If they go or change, CloudFormation refuses the next " +
  "deployment, or the release can no longer be returned to. Keep them (infra/data-stack.ts), or remove the " +
  "release's record from tools/upgrade/release/outputs.json if nobody will return to it: see docs/decisions/safe-change.md.";

test("every release has a record of what it needs from the data stack", async () => {
  const changelog = await readFile(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  const releases = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, release]) => release);

  expect(releases).not.toEqual([]);
  expect(new Set(records.map(({ release }) => release)), "Run npm run record-release.").toEqual(new Set(releases));
});

describe.each(optionSets.map((options) => ({ options, title: describeOptions(options) })))(
  "a data stack with $title",
  ({ options }) => {
    test("shares all that released versions need, under the same names and with the same values", async () => {
      const { stage } = readOptions(options);
      const shared = await readSharedOutputs(await synthesiseTemplates(options));

      const needed = records.filter((record) =>
        Object.entries(record.options).every(([name, value]) => options[name] === value),
      );
      expect(needed).not.toEqual([]);
      for (const { release, outputs } of needed) {
        const kept = Object.fromEntries(Object.keys(outputs).map((name) => [name, shared[name]?.value]));
        expect(kept, `Release ${release}. ${advice}`).toEqual(outputs);
        for (const name of Object.keys(outputs).filter((output) => output.startsWith("Exports"))) {
          expect(shared[name]?.exportName).toBe(`IntegrationApi-${stage.name}-data:${name}`);
        }
      }
    });
  },
);
