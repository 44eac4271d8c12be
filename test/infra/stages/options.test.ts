import { App } from "aws-cdk-lib";
import { describe, expect, test } from "vitest";
import { readOptions } from "../../../infra/stages/options.ts";
import { stages } from "../../../infra/stages/stage.ts";

const optionsOf = (context: Record<string, unknown>) => readOptions(new App({ context }).node);

const certificateArn = "arn:aws:acm:eu-west-1:123456789012:certificate/00000000-0000-0000-0000-000000000000";

describe("the options of the app", () => {
  test("are those of production where none are given, so that what is forgotten weakens nothing", () => {
    expect(optionsOf({})).toEqual({
      stage: stages.prod,
      dualStack: false,
      customerManagedKey: false,
      provisionedConcurrency: 0,
    });
  });

  test("come as texts from the command line, and as they are from cdk.json", () => {
    const expected = { stage: stages.dev, dualStack: true, provisionedConcurrency: 3 };

    expect(optionsOf({ stage: "dev", dualStack: "true", provisionedConcurrency: "3" })).toMatchObject(expected);
    expect(optionsOf({ stage: "dev", dualStack: true, provisionedConcurrency: 3 })).toMatchObject(expected);
  });

  test("may override the stage's log level", () => {
    expect(optionsOf({ logLevel: "warn" }).stage).toEqual({ ...stages.prod, logLevel: "warn" });
  });

  test("leave the CDK's own context alone", () => {
    expect(optionsOf({ "cli-telemetry": false, "@aws-cdk/core:x": true, "aws:cdk:y": "z" }).stage.name).toBe("prod");
  });

  test.each([
    [{ stage: "production" }, "-c stage=… must be one of prod, staging, dev."],
    [{ domainName: "https://api.example.com", certificateArn }, "-c domainName=… must be a host name"],
    [{ domainName: "api.example.com", certificateArn: "mine" }, "-c certificateArn=… must be an ARN of ACM."],
    [{ domainName: "api.example.com" }, "-c domainName=… and -c certificateArn=… go together"],
    [{ certificateArn }, "-c domainName=… and -c certificateArn=… go together"],
    [{ dualStack: "yes" }, "-c dualStack=… must be true or false."],
    [{ customerManagedKey: "" }, "-c customerManagedKey=… must be true or false."],
    [{ alarmEmail: "ops" }, "-c alarmEmail=… must be an e-mail address"],
    [{ provisionedConcurrency: "-1" }, "-c provisionedConcurrency=… must be a whole number"],
    [{ logLevel: "debug" }, "-c logLevel=… must be one of info, warn, error."],
    [{ stag: "dev" }, "-c stag: there is no such option. There are: stage, domainName,"],
  ])("%o is refused with a sentence", (context, sentence) => {
    expect(() => optionsOf(context)).toThrow(sentence);
  });

  test("that are wrong are named all at once", () => {
    expect(() => optionsOf({ stage: "x", dualStack: "x" })).toThrow(/stage=.*\n.*dualStack=/);
  });
});
