import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { synthesise } from "../../local/synthesise.ts";

/** All that an operator can ask for at once. */
export const everyOption = {
  stage: "prod",
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/00000000-0000-0000-0000-000000000000",
  dualStack: "true",
  customerManagedKey: "true",
  alarmEmail: "ops@example.com",
  provisionedConcurrency: "2",
} as const;

/** Synthesises the stacks with other options than those that all tests share, and gives the folder of the assembly. */
export const synthesiseWith = async (context: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "integration-api-stage-"));
  afterAll(() => rm(folder, { recursive: true }));
  return synthesise(folder, { context });
};
