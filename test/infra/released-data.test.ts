import { cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { tableIdOf } from "../../infra/constructs/service-tables.ts";
import { readOptions } from "../../infra/stages/options.ts";
import { storeNames } from "../../lambdas/domain/built-in-stores.ts";
import {
  dataStackOptions,
  isStateful,
  losses,
  readDataStack,
  readSharedOutputs,
} from "../../tools/release/data-stacks.ts";
import {
  type DataStack,
  incompatibleWith,
  isInDevelopment,
  readRelease,
  releasedOutputs,
} from "../../tools/release/release-folder.ts";
import { describeOptions, optionSets, singleOptions, synthesiseTemplates } from "../support/stages.ts";
import { readTemplate } from "../support/template.ts";

const dataStack = "IntegrationApiData";
const dataTemplate = `${dataStack}.template.json`;
const withKey = "prod with a customer managed key";

const release = await readRelease();

const releasedAs = (name: string): DataStack => {
  const stack = release.dataStacks[name];
  if (!stack) throw new Error(`The last release has no data stack for ${name}.`);
  return stack;
};

test.each(Object.entries(dataStackOptions))("an upgrade keeps tables, users and keys: %s", async (name, context) => {
  const present = await readDataStack(await synthesiseTemplates(context));
  expect(losses(releasedAs(name), present), incompatibleWith(release)).toEqual([]);
});

test("compares all tables, the access log, the user pool and the encryption key", () => {
  expect(Object.keys(releasedAs(withKey).resources)).toEqual(
    expect.arrayContaining([
      "AccessLog",
      "EncryptionKey",
      "KeysTable",
      "LimitsTable",
      "TokensTable",
      "UsageTable",
      "UserPool",
    ]),
  );
});

test("knows every type of resource whose data must not be lost", () => {
  const types = ["DynamoDB::GlobalTable", "DynamoDB::Table", "Cognito::UserPool", "KMS::Key", "S3::Bucket"];

  expect([...types, "Events::EventBus", "SNS::Topic"].filter((type) => !isStateful(`AWS::${type}`))).toEqual([]);
});

interface DataTemplate {
  Resources: DataStack["resources"];
}

/** Returns the data stack with a key after a change to its template. */
const afterChange = async (change: (template: DataTemplate) => void): Promise<DataStack> => {
  const present = await synthesiseTemplates(dataStackOptions[withKey]);
  const changed = await mkdtemp(join(inject("otherAssemblies"), "changed-"));
  const template: DataTemplate = JSON.parse(await readFile(join(present, dataTemplate), "utf8"));
  change(template);
  await cp(join(present, "manifest.json"), join(changed, "manifest.json"));
  await writeFile(join(changed, dataTemplate), JSON.stringify(template));
  return readDataStack(changed);
};

test.each<[string, string, unknown]>([
  ["KeysTable", "KeySchema", [{ AttributeName: "v_code", KeyType: "HASH" }]],
  ["KeysTable", "AttributeDefinitions", [{ AttributeName: "key_id", AttributeType: "N" }]],
  ["TokensTable", "TableName", "tokens"],
  ["UsageTable", "LocalSecondaryIndexes", [{ IndexName: "by-time" }]],
  ["UserPool", "AliasAttributes", ["email"]],
  ["UserPool", "UsernameAttributes", ["email"]],
  ["UserPool", "UsernameConfiguration", { CaseSensitive: true }],
  ["UserPool", "Schema", [{ Name: "email", Mutable: false, Required: true }]],
  ["EncryptionKey", "KeySpec", "RSA_2048"],
])("detects a change to %s that would lose data, in the property %s", async (id, property, value) => {
  const changed = await afterChange(({ Resources }) => {
    Object.assign(Resources[id]?.Properties ?? {}, { [property]: value });
  });

  expect(losses(releasedAs(withKey), changed)).toContainEqual(
    expect.stringMatching(`^${property} of ${id} .*has changed`),
  );
});

test.each(["KeysTable", "UserPool", "EncryptionKey"])("detects a changed logical id of %s", async (id) => {
  const changed = await afterChange(({ Resources }) => {
    const { [id]: resource } = Resources;
    delete Resources[id];
    if (resource) Resources.Renamed = resource;
  });

  expect(losses(releasedAs(withKey), changed)).toEqual([expect.stringMatching(`^${id} .*is gone`)]);
});

test("detects a changed stack name", () => {
  expect(losses(releasedAs(withKey), { ...releasedAs(withKey), stackName: "IntegrationApi-data" })).toEqual([
    expect.stringMatching(/^The stack IntegrationApi-prod-data is now called/),
  ]);
});

test("accepts a new table and a new user attribute", async () => {
  const changed = await afterChange(({ Resources }) => {
    Resources.OwnersTable = { Type: "AWS::DynamoDB::GlobalTable", Properties: {} };
    const { Schema = [] } = Resources.UserPool?.Properties ?? {};
    const team = { Name: "team", AttributeDataType: "String" };
    Object.assign(Resources.UserPool?.Properties ?? {}, { Schema: [...Object.values(Object(Schema)), team] });
  });

  expect(losses(releasedAs(withKey), changed)).toEqual([]);
});

const records = await releasedOutputs();

const advice =
  "An API's stack of this release needs these outputs of the data stack. If they go or change, CloudFormation refuses the next " +
  "deployment, or the release can no longer be returned to. Keep them (infra/stacks/data-stack.ts), or remove the " +
  "release's record from tools/release/recorded/outputs.json if nobody will return to it: see docs/decisions/safe-change.md. " +
  incompatibleWith(release);

test("the recorded release is the latest in the changelog, and each release records its data-stack requirements", async () => {
  const changelog = await readFile(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  const versions = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+(?:-dev)?)\]/gm)].map(([, version = ""]) => version);
  const published = versions.filter((version) => !isInDevelopment(version));
  // Before the first release, the current state is recorded.
  const releases = published.length > 0 ? published : versions;

  expect(releases).not.toEqual([]);
  expect(release.version, "Run npm run record-release.").toBe(releases[0]);
  expect(new Set(records.map((record) => record.release)), "Run npm run record-release.").toEqual(new Set(releases));
});

test.each(optionSets.map((options) => ({ options, title: describeOptions(options) })))(
  "a data stack with $title exports everything that released versions need, with the same names and values",
  async ({ options }) => {
    const { stage } = readOptions(options, storeNames);
    const shared = await readSharedOutputs(await synthesiseTemplates(options));

    const needed = records.filter((record) =>
      Object.entries(record.options).every(([name, value]) => options[name] === value),
    );
    expect(needed).not.toEqual([]);
    for (const { release: version, outputs } of needed) {
      const kept = Object.fromEntries(Object.keys(outputs).map((name) => [name, shared[name]?.value]));
      expect(kept, `Release ${version}. ${advice}`).toEqual(outputs);
      for (const name of Object.keys(outputs).filter((output) => output.startsWith("Exports"))) {
        expect(shared[name]?.exportName).toBe(`IntegrationApi-${stage.name}-data:${name}`);
      }
    }
  },
);

/** The changes of an option in the data stack. CloudFormation makes all of them without replacing the resource. */
const updatedData: Readonly<Record<string, string[]>> = {
  customerManagedKey: [
    ...storeNames.map(tableIdOf).flatMap((table) => [`${table}.Replicas`, `${table}.SSESpecification`]),
    "AccessLog.KmsKeyId",
    "NoticeTopic.KmsMasterKeyId",
  ],
  requireMfa: ["UserPool.MfaConfiguration"],
};

/** Resources that stay when an option is dropped and cannot collide with new ones: AWS generates any names that they have. */
const retained = ["AWS::KMS::Key", "AWS::Lambda::Version", "AWS::CloudFormation::CustomResource"];

describe.each(Object.entries(singleOptions))(
  "setting %s on a deployed service, dropping it and setting it again",
  (name, options) => {
    let [without, given] = ["", ""];
    beforeAll(async () => {
      without = await synthesiseTemplates({ stage: "prod" });
      given = await synthesiseTemplates(options);
    });

    test("leaves nothing that would collide with a second deployment", async () => {
      const [before, after] = [(await readTemplate(without)).resources, (await readTemplate(given)).resources];
      const [all, both] = [
        { ...before, ...after },
        new Set(Object.keys(before)).intersection(new Set(Object.keys(after))),
      ];
      const kept = Object.entries(all).filter(
        ([id, { DeletionPolicy = "Delete" }]) => !both.has(id) && DeletionPolicy !== "Delete",
      );

      expect(kept.filter(([, { Type }]) => !retained.includes(Type))).toEqual([]);
    });

    test("never removes or changes an export that the deployed API stack imports", async () => {
      const exported = await readSharedOutputs(without);
      const api = await readFile(join(given, "IntegrationApi.template.json"), "utf8");
      const imports = [...api.matchAll(/"Fn::ImportValue": ?"([^"]+)"/g)].map(([, imported]) => imported);

      expect(await readSharedOutputs(given)).toMatchObject(exported);
      expect(Object.values(exported).map(({ exportName }) => exportName)).toEqual(expect.arrayContaining(imports));
    });

    test("updates the data stack's resources in place", async () => {
      const [before, after] = [await readTemplate(without, dataStack), await readTemplate(given, dataStack)];
      const changed = Object.entries(before.resources).flatMap(([id, { Properties: was }]) => {
        const is = after.resources[id]?.Properties ?? was;
        return Object.keys({ ...was, ...is })
          .filter((property) => !isDeepStrictEqual(was[property], is[property]))
          .map((property) => `${id}.${property}`);
      });

      const resources = changed.filter((one) => !/^options-?guard/i.test(one));
      expect(resources.toSorted()).toEqual((updatedData[name] ?? []).toSorted());
    });
  },
);
