import { randomUUID } from "node:crypto";
import { watch } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, type LocalService } from "cdk-local-runner";

/** The file in the site function's bundle that the function reads again whenever it has changed. */
const file = "api-docs.json";

/**
 * Keeps the copy in the running site function's bundle in sync with the project's file when the file is changed, created or
 * deleted.
 */
export const followLiveFiles = async (
  service: Pick<LocalService, "codeDirectoryOf">,
  { serviceFolder, onError }: { serviceFolder: string; onError: (error: unknown) => void },
): Promise<{ close: () => void }> => {
  // Copies run one after another, so that the last change wins.
  let work = Promise.resolve();
  const follow = () => {
    const codeDirectory = service.codeDirectoryOf("site");
    if (codeDirectory === undefined) return work;
    work = work.then(() => copy(join(serviceFolder, file), join(codeDirectory, file))).catch(onError);
    return work;
  };
  const watcher = watch(serviceFolder, (_, changed) => {
    if (changed === file) follow();
  });
  watcher.on("error", onError);
  // The CDK reuses an identical bundle of an earlier run, which may contain an older copy.
  await follow();
  return watcher;
};

/** Replaces the copy in one step, because the function may be reading it. */
const copy = async (from: string, to: string): Promise<void> => {
  // Another run may be copying to the same folder.
  const draft = `${to}.${randomUUID()}`;
  try {
    await copyFile(from, draft);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return rm(to, { force: true });
  }
  await rename(draft, to);
};
