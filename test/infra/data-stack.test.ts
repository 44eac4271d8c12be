import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { tableIdOf } from "../../infra/constructs/service-tables.ts";
import { storeNames, tables } from "../../lambdas/domain/built-in-stores.ts";
import type { AnyTable } from "../../lambdas/dynamodb/table.ts";
import { everyOption, keysRestored, synthesiseTemplates, synthesiseWith } from "../support/stages.ts";
import { readTemplate, type Template } from "../support/template.ts";

let prod: Template;
let dev: Template;
let encrypted: Template;
beforeAll(async () => {
  prod = await readTemplate(await synthesiseWith({ stage: "prod" }), "IntegrationApiData");
  dev = await readTemplate(await synthesiseTemplates({ stage: "dev" }), "IntegrationApiData");
  encrypted = await readTemplate(await synthesiseTemplates(everyOption), "IntegrationApiData");
});

const tablesOf = (template: Template) => Object.values(template.ofType("AWS::DynamoDB::GlobalTable"));

describe("the data stack", () => {
  test("retains everything that holds data or that operators attach to, with fixed logical ids", () => {
    const kept = Object.entries(prod.resources).filter(
      ([, { DeletionPolicy = "Delete" }]) => DeletionPolicy !== "Delete",
    );
    const policies = kept.map(([id, { Type, DeletionPolicy }]) => [id, `${DeletionPolicy} ${Type}`]);

    expect(Object.fromEntries(policies)).toEqual({
      ...Object.fromEntries(storeNames.map((name) => [tableIdOf(name), "Retain AWS::DynamoDB::GlobalTable"])),
      UserPool: "Retain AWS::Cognito::UserPool",
      AdminUserPoolAdminGroupE1573067: "RetainExceptOnCreate AWS::Cognito::UserPoolGroup",
      AdminUserPoolSuperuserGroupD6D48659: "RetainExceptOnCreate AWS::Cognito::UserPoolGroup",
      AccessLog: "RetainExceptOnCreate AWS::Logs::LogGroup",
      NoticeTopic: "RetainExceptOnCreate AWS::SNS::Topic",
      NoticeBus: "RetainExceptOnCreate AWS::Events::EventBus",
    });
    for (const [, { UpdateReplacePolicy }] of kept) expect(UpdateReplacePolicy).toBe("Retain");
    expect(encrypted.types()).toMatchObject({ ...prod.types(), EncryptionKey: "AWS::KMS::Key" });
  });

  test("has on-demand tables with point-in-time recovery, expiry and indexes", () => {
    for (const store of storeNames) {
      const { timeToLive, indexes = {} }: AnyTable = tables[store];
      const all = { ProjectionType: "ALL" };
      const include = { ProjectionType: "INCLUDE", NonKeyAttributes: ["history", "history_dropped", "deletion_id"] };
      expect(prod.resources[tableIdOf(store)]?.Properties).toMatchObject({
        BillingMode: "PAY_PER_REQUEST",
        Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
        ...(timeToLive && { TimeToLiveSpecification: { AttributeName: timeToLive, Enabled: true } }),
        ...(Object.keys(indexes).length > 0 && {
          GlobalSecondaryIndexes: Object.keys(indexes).map((IndexName) => ({
            IndexName,
            Projection: IndexName !== "by_change" ? { ProjectionType: "KEYS_ONLY" } : store === "keys" ? all : include,
          })),
        }),
      });
    }
  });

  test("can be deployed again if the first deployment failed", async () => {
    const manifest = await readFile(join(await synthesiseWith({ stage: "prod" }), "manifest.json"), "utf8");
    const stays = Object.entries(prod.resources).filter(([, { DeletionPolicy }]) => DeletionPolicy === "Retain");

    // With termination protection, the CDK could not delete the failed stack.
    expect(JSON.parse(manifest).artifacts.IntegrationApiData.properties.terminationProtection).toBe(false);
    // The rollback deletes all other resources. These are protected from deletion, and AWS generates their names.
    for (const [, { Properties }] of stays) {
      expect(JSON.stringify(Properties)).toMatch(/"DeletionProtection(Enabled":true|":"ACTIVE")/);
      for (const name of ["TableName", "UserPoolName"]) expect(Properties).not.toHaveProperty(name);
    }
  });

  test("names the access log so that API Gateway needs no entry in the account's resource policy", () => {
    const { LogGroupName } = prod.resources.AccessLog?.Properties ?? {};

    expect(JSON.stringify(LogGroupName)).toContain('"/aws/vendedlogs/integration-api/prod-"');
    expect(JSON.stringify(LogGroupName)).toContain('{"Ref":"AWS::StackId"}');
  });

  test("leaves nothing behind in development", () => {
    for (const { DeletionPolicy = "Delete" } of Object.values(dev.resources)) expect(DeletionPolicy).toBe("Delete");
    for (const table of tablesOf(dev)) {
      expect(table.Properties.Replicas).toEqual([expect.objectContaining({ DeletionProtectionEnabled: false })]);
    }
  });
});

describe("a customer-managed key", () => {
  test("encrypts every table, is retained like the tables, and is removed only by an explicit setting", () => {
    const key = encrypted.ofType("AWS::KMS::Key").EncryptionKey;

    expect(key).toMatchObject({
      DeletionPolicy: "RetainExceptOnCreate",
      UpdateReplacePolicy: "Retain",
      Properties: { EnableKeyRotation: true },
    });
    for (const { Properties } of tablesOf(encrypted)) {
      expect(Properties).toMatchObject({
        SSESpecification: { SSEEnabled: true, SSEType: "KMS" },
        Replicas: [{ SSESpecification: { KMSMasterKeyId: { "Fn::GetAtt": ["EncryptionKey", "Arn"] } } }],
      });
    }
    for (const { Properties } of tablesOf(prod)) expect(Properties.SSESpecification).toEqual({ SSEEnabled: false });
  });

  test("can be used only by tables, topics, and this account's logs and alarms", () => {
    const policy = JSON.stringify(encrypted.ofType("AWS::KMS::Key").EncryptionKey?.Properties.KeyPolicy);

    // One statement allows all principals, on the condition that they are in this account and come from DynamoDB or SNS.
    expect(policy.split('"Principal":{"AWS":"*"}')).toHaveLength(2);
    expect(policy.split('"Principal":{"AWS":"*"}')[0]).toMatch(
      /"Condition":\{"StringEquals":\{"kms:CallerAccount":\{"Ref":"AWS::AccountId"\},"kms:ViaService":\[\{"Fn::Join":\["",\["dynamodb\..*\["sns\."/,
    );

    expect(policy).toContain('"kms:EncryptionContext:aws:logs:arn"');
    expect(policy).toContain(
      '"Action":["kms:Decrypt","kms:GenerateDataKey*"],"Condition":{"StringEquals":{"aws:SourceAccount":{"Ref":"AWS::AccountId"}}},"Effect":"Allow","Principal":{"Service":"cloudwatch.amazonaws.com"}',
    );
  });
});

test("AWS Backup copies every table to the other region, including restored tables", async () => {
  const assembly = await synthesiseTemplates({ ...keysRestored, backupRegion: "eu-west-1" });
  const { ofType } = await readTemplate(assembly, "IntegrationApiData");
  const only = (type: string) => Object.values(ofType(type))[0]?.Properties;
  const text = JSON.stringify(only("AWS::Backup::BackupSelection"));

  for (const store of storeNames) expect(text).toContain(`{"Fn::GetAtt":["${tableIdOf(store)}","Arn"]}`);
  expect(text).toContain(':table/restored-keys"');
  expect(JSON.stringify(only("AWS::Backup::BackupPlan"))).toMatch(
    /"DestinationBackupVaultArn":\{"Fn::Join":\["",\["arn:",\{"Ref":"AWS::Partition"\},":backup:eu-west-1:",\{"Ref":"AWS::AccountId"\},":backup-vault:integration-api"\]\]\}/,
  );
  const role = Object.values(ofType("AWS::IAM::Role")).find(({ Properties }) => Properties.Path !== undefined);
  expect(role?.Properties).toMatchObject({ Path: "/IntegrationApi-prod-data/" });
  expect(JSON.stringify(role)).toMatch(/PolicyForBackup.*PolicyForRestores/);
});

describe("the user pool", () => {
  const poolOf = ({ resources }: Template) => resources.UserPool?.Properties;

  test("disallows sign-up, and requires long passwords and an authenticator app", () => {
    expect(poolOf(prod)).toMatchObject({
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      Policies: { PasswordPolicy: { MinimumLength: 14 } },
      MfaConfiguration: "ON",
      EnabledMfas: ["SOFTWARE_TOKEN_MFA"],
    });
  });

  test("makes the authenticator app optional if the operator configures it", async () => {
    const optional = await synthesiseTemplates({ stage: "prod", requireMfa: "false" });

    expect(poolOf(await readTemplate(optional, "IntegrationApiData"))).toMatchObject({ MfaConfiguration: "OPTIONAL" });
  });
});
