import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { inject, vi } from "vitest";
import { synthesise } from "../../local/synthesise.ts";

export { everyOption, everyTableRestored } from "../../tools/support/every-option.ts";

export type OptionSet = Readonly<Record<string, string>>;

/** A restored table in place of the one of the keys. The stack has a key of its own. */
export const keysRestored = { stage: "prod", customerManagedKey: "true", keysTable: "restored-keys" };

/** The stage whose assembly all tests share. */
const sharedStage = process.env.STAGE ?? "prod";

/** The folder of the assembly with these options. The first test that needs it synthesises it while others wait. */
export const synthesiseWith = async (context: OptionSet): Promise<string> => {
  const { stage, ...others } = context;
  if (stage === sharedStage && Object.keys(others).length === 0) return inject("assemblyDirectory");
  return makeOnce(`assembly ${JSON.stringify(context)}`, (folder) => synthesise(folder, { context }));
};

/** A folder that all tests share. The first test that needs it makes it, in an empty folder, while others wait. */
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
    await vi.waitUntil(() => existsSync(folder) || !existsSync(lock), { interval: 100, timeout: 900_000 });
  }
  return folder;
};

/** Creating a folder fails if it exists, so only one of several workers succeeds. */
const takeLock = async (lock: string): Promise<boolean> => {
  try {
    await mkdir(lock);
    return true;
  } catch {
    return false;
  }
};
