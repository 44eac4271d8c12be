import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readOptions } from "../../infra/stages/options.ts";
import { readOptionsFile } from "../../infra/stages/options-file.ts";
import { concurrencyCaps, type Stage, stages } from "../../infra/stages/stage.ts";
import { storeNames } from "../../lambdas/domain/built-in-stores.ts";
import { temporaryDirectory } from "../local/project-fixture.ts";

const kmsKeyArn = "arn:aws:kms:eu-west-1:123456789012:key/00000000-0000-0000-0000-000000000000";
const certificateArn = "arn:aws:acm:eu-west-1:123456789012:certificate/00000000-0000-0000-0000-000000000000";

describe("the options of the app", () => {
  test("default to production's values, so that a forgotten option weakens nothing", () => {
    expect(readOptions({}, storeNames)).toEqual({
      stage: stages.prod,
      executeApi: true,
      dualStack: false,
      customerManagedKey: false,
      provisionedConcurrency: 0,
      trimSdk: true,
      shiftTraffic: true,
      restoredTables: {},
      restoredStreams: {},
      allowChange: [],
      forImport: false,
      given: {},
    });
  });

  test("are read as strings from the command line, and as any JSON value from the stage's file", () => {
    const expected = { stage: stages.dev, dualStack: true, provisionedConcurrency: 3 };
    const context = { stage: "dev" };

    expect(readOptions({ ...context, dualStack: "true", provisionedConcurrency: "3" }, storeNames)).toMatchObject(
      expected,
    );
    expect(readOptions(context, storeNames, () => ({ dualStack: true, provisionedConcurrency: 3 }))).toMatchObject(
      expected,
    );
  });

  test("come from the stage's file unless the command line overrides them", () => {
    const files = {
      prod: { alarmEmail: "prod@example.com", keysTable: "restored-keys", tags: { team: "billing" } },
      staging: { alarmEmail: "staging@example.com" },
    };
    const read = (context: Record<string, string>) =>
      readOptions(context, storeNames, (stage) => files[stage as keyof typeof files] ?? {});

    const { keysTable, ...others } = files.prod;
    expect(read({})).toMatchObject({ ...others, restoredTables: { keys: keysTable } });
    expect(read({ stage: "staging" })).toMatchObject(files.staging);
    expect(read({ stage: "dev" }).alarmEmail).toBeUndefined();
    expect(read({ alarmEmail: "once@example.com" })).toMatchObject({
      alarmEmail: "once@example.com",
      // The outputs of the deployed stack can serve as the file of a fresh clone.
      given: { ...files.prod, alarmEmail: "once@example.com" },
    });
  });

  test.each<[Record<string, unknown>, Stage]>([
    [{ logLevel: "warn" }, { ...stages.prod, logLevel: "warn" }],
    [{ requireMfa: "false" }, { ...stages.prod, requiresMfa: false }],
    [
      { stage: "staging", requireMfa: "true" },
      { ...stages.staging, requiresMfa: true },
    ],
    [{ reserveConcurrency: "true" }, { ...stages.prod, concurrencyCaps }],
    [{ useCodeDeploy: "false" }, { ...stages.prod, shiftsTraffic: false }],
    [
      { stage: "staging", useCodeDeploy: "true" },
      { ...stages.staging, shiftsTraffic: true },
    ],
    // The CDK's own context.
    [{ "cli-telemetry": false, "@aws-cdk/core:x": true, "aws:cdk:y": "z" }, stages.prod],
  ])("change the settings of the stage: %o", (context, stage) => {
    expect(readOptions(context, storeNames).stage).toEqual(stage);
  });

  test("are off by default: an authenticator app and CodeDeploy outside production, and reserved concurrency", () => {
    expect(Object.values(stages).map(({ requiresMfa }) => requiresMfa)).toEqual([true, false, false]);
    expect(Object.values(stages).map(({ shiftsTraffic }) => shiftsTraffic)).toEqual([true, false, false]);
    for (const stage of Object.values(stages)) expect(stage.concurrencyCaps).toEqual({});
  });

  test.each([
    [{ stage: "production" }, "-c stage=… must be one of prod, staging, dev."],
    [{ executeApi: "false" }, "-c executeApi=… needs domainName, too."],
    [{ domainName: "https://api.example.com", certificateArn }, "-c domainName=… must be a host name"],
    [{ domainName: "api.example.com", certificateArn: "mine" }, "-c certificateArn=… must be an ARN of ACM."],
    [{ domainName: "api.example.com" }, "-c domainName=… needs certificateArn, too."],
    [{ certificateArn }, "-c certificateArn=… needs domainName, too."],
    [{ stage: "dev", useCodeDeploy: "true" }, "-c useCodeDeploy=… needs alarms, which dev does not have."],
    [{ tags: "team=billing" }, "-c tags=… must be an object in the file of the stage"],
    [
      { permissionsBoundary: '{"name":"bounds"}' },
      "-c permissionsBoundary=… must be the name or the ARN of an IAM policy.",
    ],
    [{ allowChange: "domainName,trimSdk" }, "-c allowChange=… must name some of domainName, dualStack,"],
    [{ dualStack: "yes" }, "-c dualStack=… must be true or false."],
    [{ alarmEmail: "ops" }, "-c alarmEmail=… must be an email address"],
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
    [{ stag: "dev" }, "-c stag=…: there is no such option. The options are: stage, domainName,"],
  ])("reject %o with an explanation", (context: Record<string, string>, sentence) => {
    expect(() => readOptions(context, storeNames)).toThrow(sentence);
  });

  test.each([
    [{ colour: "blue" }, '"colour" in options.staging.json: there is no such option. The options are: stage,'],
    [{ dualStack: "yes" }, '"dualStack" in options.staging.json must be true or false.'],
    [{ alarmEmail: null }, '"alarmEmail" in options.staging.json must be an email address'],
    [{ "@aws-cdk/core:x": true }, '"@aws-cdk/core:x" in options.staging.json: there is no such option.'],
    [{ tags: { "aws:x": "y" } }, '"tags" in options.staging.json must be an object'],
    [{ tags: { team: 1 } }, '"tags" in options.staging.json must be an object'],
    [{ certificateArn }, '"certificateArn" in options.staging.json needs domainName, too.'],
    [{ stage: "staging" }, '"stage" in options.staging.json is not allowed: set it with -c.'],
    // This value would disable the guard permanently.
    [{ allowChange: "domainName" }, '"allowChange" in options.staging.json is not allowed: set it with -c.'],
  ])("reject %o in a stage's file with an explanation that names the file", (file, sentence) => {
    expect(() => readOptions({ stage: "staging" }, storeNames, () => file)).toThrow(sentence);
  });

  test.each([
    ['{ "dualStack": true', "options.staging.json cannot be read: "],
    ['["dualStack"]', "options.staging.json must contain a JSON object"],
    ["null", "options.staging.json must contain a JSON object"],
  ])("reject a file with %s", async (text, sentence) => {
    const folder = await temporaryDirectory();
    await writeFile(join(folder, "options.staging.json"), text);

    expect(() => readOptionsFile(folder, "staging")).toThrow(sentence);
    expect(readOptionsFile(folder, "prod")).toEqual({});
  });

  test("report all invalid values at once", () => {
    expect(() => readOptions({ stage: "x", dualStack: "x" }, storeNames)).toThrow(/stage=.*\n.*dualStack=/);
  });
});
