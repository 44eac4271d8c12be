import { describe, expect, test } from "vitest";
import { readOptions } from "../../infra/stages/options.ts";
import { concurrencyCaps, stageNames, stages } from "../../infra/stages/stage.ts";
import { storeNames } from "../../lambdas/resources/stores.ts";

const kmsKeyArn = "arn:aws:kms:eu-west-1:123456789012:key/00000000-0000-0000-0000-000000000000";
const certificateArn = "arn:aws:acm:eu-west-1:123456789012:certificate/00000000-0000-0000-0000-000000000000";

describe("the options of the app", () => {
  test("default to those of production, so that a forgotten option weakens nothing", () => {
    expect(readOptions({}, storeNames)).toEqual({
      stage: stages.prod,
      dualStack: false,
      customerManagedKey: false,
      provisionedConcurrency: 0,
      trimSdk: true,
      shiftTraffic: true,
      restoredTables: {},
    });
  });

  test("are strings on the command line, and any JSON value in cdk.json", () => {
    const expected = { stage: stages.dev, dualStack: true, provisionedConcurrency: 3 };

    expect(readOptions({ stage: "dev", dualStack: "true", provisionedConcurrency: "3" }, storeNames)).toMatchObject(
      expected,
    );
    expect(readOptions({ stage: "dev", dualStack: true, provisionedConcurrency: 3 }, storeNames)).toMatchObject(
      expected,
    );
  });

  test("can override the log level of the stage", () => {
    expect(readOptions({ logLevel: "warn" }, storeNames).stage).toEqual({ ...stages.prod, logLevel: "warn" });
  });

  test("can require an authenticator app in any stage, or require it in none", () => {
    expect(Object.values(stages).map(({ requiresMfa }) => requiresMfa)).toEqual([true, false, false]);
    expect(readOptions({ requireMfa: "false" }, storeNames).stage).toEqual({ ...stages.prod, requiresMfa: false });
    expect(readOptions({ stage: "staging", requireMfa: "true" }, storeNames).stage).toEqual({
      ...stages.staging,
      requiresMfa: true,
    });
  });

  test("can reserve concurrency, which no stage does by itself", () => {
    for (const stage of stageNames) expect(readOptions({ stage }, storeNames).stage.concurrencyCaps).toEqual({});
    expect(readOptions({ reserveConcurrency: "true" }, storeNames).stage.concurrencyCaps).toEqual(concurrencyCaps);
  });

  test("can do without CodeDeploy, but cannot add it to a stage without alarms", () => {
    expect(readOptions({ useCodeDeploy: "false" }, storeNames).stage).toEqual({ ...stages.prod, shiftsTraffic: false });
    expect(readOptions({ stage: "dev", useCodeDeploy: "true" }, storeNames).stage.shiftsTraffic).toBe(false);
  });

  test("are read independently of the CDK's own context", () => {
    expect(
      readOptions({ "cli-telemetry": false, "@aws-cdk/core:x": true, "aws:cdk:y": "z" }, storeNames).stage.name,
    ).toBe("prod");
  });

  test.each([
    [{ stage: "production" }, "-c stage=… must be one of prod, staging, dev."],
    [{ domainName: "https://api.example.com", certificateArn }, "-c domainName=… must be a host name"],
    [{ domainName: "api.example.com", certificateArn: "mine" }, "-c certificateArn=… must be an ARN of ACM."],
    [{ domainName: "api.example.com" }, "-c domainName=… and -c certificateArn=… go together"],
    [{ certificateArn }, "-c domainName=… and -c certificateArn=… go together"],
    [{ dualStack: "yes" }, "-c dualStack=… must be true or false."],
    [{ alarmEmail: "ops" }, "-c alarmEmail=… must be an e-mail address"],
    [{ runbookUrl: "http://wiki.example.com" }, "-c runbookUrl=… must be an https address."],
    [{ provisionedConcurrency: "-1" }, "-c provisionedConcurrency=… must be a whole number"],
    [{ logLevel: "debug" }, "-c logLevel=… must be one of info, warn, error."],
    [{ keysTable: "" }, "-c keysTable=… must be the name of a table: 3 to 255 characters"],
    [
      { tokensTable: "arn:aws:dynamodb:us-east-1:123456789012:table/x" },
      "-c tokensTable=… must be the name of a table",
    ],
    [
      { keysTable: "abc", restoredTablesKey: kmsKeyArn.replace("key/", "alias/") },
      "-c restoredTablesKey=… must be the ARN of a key of KMS",
    ],
    [{ restoredTablesKey: kmsKeyArn }, "-c restoredTablesKey=… encrypts restored tables: name one"],
    [{ stag: "dev" }, "-c stag: there is no such option. The options are: stage, domainName,"],
  ])("%o is refused with a sentence", (context, sentence) => {
    expect(() => readOptions(context, storeNames)).toThrow(sentence);
  });

  test("are all named at once if they are invalid", () => {
    expect(() => readOptions({ stage: "x", dualStack: "x" }, storeNames)).toThrow(/stage=.*\n.*dualStack=/);
  });
});
