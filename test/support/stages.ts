import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { inject, vi } from "vitest";
import { stageNames } from "../../infra/stages/stage.ts";
import { synthesise } from "../../local/synthesise.ts";
import { everyOption, everyTableRestored } from "../../tools/support/every-option.ts";

export { everyOption, everyTableRestored };

export type OptionSet = Readonly<Record<string, string>>;

/** A restored table in place of the key table. The stack still has its original. */
export const keysRestored = {
  stage: "prod",
  customerManagedKey: "true",
  monitoring: "full",
  keysTable: "restored-keys",
};

/** The stage whose assembly all tests share. */
const sharedStage = process.env.STAGE ?? "prod";

/** Returns the folder of the assembly with these options. The first test that needs it synthesises it while others wait. */
export const synthesiseWith = async (context: OptionSet): Promise<string> => {
  const { stage, ...others } = context;
  if (stage === sharedStage && Object.keys(others).length === 0) return inject("assemblyDirectory");
  return makeOnce(`assembly ${JSON.stringify(context)}`, (folder) => synthesise(folder, { context }));
};

/** Returns a folder that all tests share. The first test that needs it fills the empty folder while others wait. */
export const makeOnce = async (what: string, make: (emptyFolder: string) => Promise<string>): Promise<string> => {
  const folder = join(inject("otherAssemblies"), createHash("sha256").update(what).digest("hex"));
  const lock = `${folder}.lock`;
  while (!existsSync(folder)) {
    if (await takeLock(lock)) {
      try {
        if (!existsSync(folder)) await rename(await make(await mkdtemp(`${folder}-`)), folder);
      } finally {
        await rmdir(lock);
      }
    }
    await vi.waitUntil(() => existsSync(folder) || !existsSync(lock), { interval: 100, timeout: 240_000 });
  }
  return folder;
};

/** Creating an existing folder fails, so only one of several workers succeeds. */
const takeLock = async (lock: string): Promise<boolean> => {
  try {
    await mkdir(lock);
    return true;
  } catch {
    return false;
  }
};

/** Returns the folder of the assembly of the fixture service with every kind of field, which several files of tests share. */
export const synthesiseLibrary = (): Promise<string> =>
  makeOnce("assembly of the library", (folder) => synthesise(folder, { app: "node test/fixtures/library/app.ts" }));

const { stage, certificateArn, domainName, executeApi, ...others } = everyOption;

/** Each option that changes templates, alone, with a value other than production's default. */
export const singleOptions: Readonly<Record<string, OptionSet>> = {
  domainName: { stage, domainName, certificateArn },
  executeApi: { stage, domainName, certificateArn, executeApi },
  keysTable: { stage, keysTable: keysRestored.keysTable },
  ...Object.fromEntries(
    Object.entries({ ...others, shiftTraffic: "false", useCodeDeploy: "false", logLevel: "warn" }).map(
      ([name, value]) => [name, { stage, [name]: value }],
    ),
  ),
};

/** The stages without options, and production with each option alone, with all of them, and with restored tables. */
export const optionSets: OptionSet[] = [
  ...stageNames.map((name) => ({ stage: name })),
  ...Object.values(singleOptions),
  everyOption,
  keysRestored,
  everyTableRestored,
];

export const describeOptions = (options: OptionSet): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

/**
 * Synthesises the stacks with these options in this process, with the code of the shared assembly, and returns the folder. That
 * takes a fraction of a whole synthesis, and all tests share the result.
 */
export const synthesiseTemplates = (options: OptionSet): Promise<string> =>
  makeOnce(`templates ${JSON.stringify(options)}`, async (folder) => {
    vi.stubEnv("CDK_VALIDATION", "false");
    // Loading the CDK takes longer than reading existing templates.
    const { synthesiseStacks } = await import("./synthesise-stacks.ts");
    return synthesiseStacks(options, folder);
  });
