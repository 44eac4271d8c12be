import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rename } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
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

/** The folder of the assembly with other options than those that all tests share: synthesised by the test that asks first. */
export const synthesiseWith = async (context: Readonly<Record<string, string>>): Promise<string> => {
  const shared = inject("otherAssemblies");
  const folder = join(shared, createHash("sha256").update(JSON.stringify(context)).digest("hex"));
  if (existsSync(folder)) return folder;
  const assembly = await synthesise(await mkdtemp(`${folder}-`), { context });
  try {
    await rename(assembly, folder);
  } catch (error) {
    // Another test was quicker.
    if (!existsSync(folder)) throw error;
  }
  return folder;
};
