import { storeNames } from "../../lambdas/domain/built-in-stores.ts";

/** All options that add something to a deployment together, except for the options for restored tables. */
export const everyOption = {
  stage: "prod",
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/00000000-0000-0000-0000-000000000000",
  executeApi: "false",
  dualStack: "true",
  customerManagedKey: "true",
  alarmEmail: "ops@example.com",
  monitoring: "full",
  noticeEmail: "notices@example.com",
  runbookUrl: "https://wiki.example.com/integration-api/runbook",
  requireMfa: "false",
  provisionedConcurrency: "2",
  reserveConcurrency: "true",
  backupRegion: "eu-west-1",
} as const;

/** Replaces each of the stack's own tables with a restored table that is encrypted with another key. */
export const everyTableRestored = {
  stage: "prod",
  customerManagedKey: "true",
  shiftTraffic: "false",
  monitoring: "full",
  restoredTablesKey: "arn:aws:kms:us-east-1:123456789012:key/00000000-0000-0000-0000-000000000000",
  ...Object.fromEntries(storeNames.map((store) => [`${store}Table`, `restored-${store}`])),
};
