import { beforeAll, describe, expect, test } from "vitest";
import { everyOption, synthesiseWith } from "../support/stages.ts";
import { readTemplate, type Template } from "../support/template.ts";

let prod: Template;
let dev: Template;
let encrypted: Template;
beforeAll(async () => {
  prod = await readTemplate(await synthesiseWith({ stage: "prod" }), "IntegrationApiData");
  dev = await readTemplate(await synthesiseWith({ stage: "dev" }), "IntegrationApiData");
  encrypted = await readTemplate(await synthesiseWith(everyOption), "IntegrationApiData");
});

const tablesOf = (template: Template) => Object.values(template.ofType("AWS::DynamoDB::GlobalTable"));

describe("the data stack", () => {
  test("has everything that holds data, under logical ids that must never change", () => {
    expect(prod.types()).toMatchObject({
      KeysTable: "AWS::DynamoDB::GlobalTable",
      LimitsTable: "AWS::DynamoDB::GlobalTable",
      TokensTable: "AWS::DynamoDB::GlobalTable",
      UsageTable: "AWS::DynamoDB::GlobalTable",
      UserPool: "AWS::Cognito::UserPool",
    });
    expect(encrypted.types()).toEqual({ ...prod.types(), EncryptionKey: "AWS::KMS::Key" });
  });

  test("exports what the API's stack uses, so that nothing in use can be removed", () => {
    const exported = prod.exports();

    // The name and the ARN of each table; the user pool and its client.
    expect(exported).toHaveLength(2 * tablesOf(prod).length + 2);
    for (const name of exported) expect(name).toMatch(/^IntegrationApi-prod-data:ExportsOutput/);
  });

  test("retains its tables in production", () => {
    for (const table of tablesOf(prod)) {
      expect(table).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
      expect(table.Properties.Replicas).toEqual([
        expect.objectContaining({
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          DeletionProtectionEnabled: true,
        }),
      ]);
    }
  });

  test("leaves nothing behind in development", () => {
    for (const table of tablesOf(dev)) {
      expect(table).toMatchObject({ DeletionPolicy: "Delete", UpdateReplacePolicy: "Delete" });
      expect(table.Properties.Replicas).toEqual([expect.objectContaining({ DeletionProtectionEnabled: false })]);
    }
  });
});

describe("a customer-managed key", () => {
  test("encrypts every table, and is retained like the tables", () => {
    const key = encrypted.ofType("AWS::KMS::Key").EncryptionKey;

    expect(key).toMatchObject({ DeletionPolicy: "Retain", Properties: { EnableKeyRotation: true } });
    for (const { Properties } of tablesOf(encrypted)) {
      expect(Properties).toMatchObject({
        SSESpecification: { SSEEnabled: true, SSEType: "KMS" },
        Replicas: [{ SSESpecification: { KMSMasterKeyId: { "Fn::GetAtt": ["EncryptionKey", "Arn"] } } }],
      });
    }
  });

  test("can be used only by the logs and alarms of this account", () => {
    const policy = JSON.stringify(encrypted.ofType("AWS::KMS::Key").EncryptionKey?.Properties.KeyPolicy);

    expect(policy).toContain('"kms:EncryptionContext:aws:logs:arn"');
    expect(policy).toContain('"aws:SourceAccount":{"Ref":"AWS::AccountId"}');
  });
});
