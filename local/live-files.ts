import { randomUUID } from "node:crypto";
import { watch } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, type LocalService } from "cdk-local-runner";

/** For each function, the files in its bundle that it reads again for every request. */
const liveFiles: Record<string, string[]> = { site: ["api-docs.json"] };

/** Keeps the copies in the bundles of running functions in step with the project's files: changed, created and deleted. */
export const followLiveFiles = async (
  service: Pick<LocalService, "codeDirectoryOf">,
  { projectDirectory, onError }: { projectDirectory: string; onError: (error: unknown) => void },
): Promise<{ close: () => void }> => {
  // One copy after another, so that the last change is the one that stays.
  let work = Promise.resolve();
  const follow = (changed?: string) => {
    for (const [name, files] of Object.entries(liveFiles)) {
      const codeDirectory = service.codeDirectoryOf(name);
      if (codeDirectory === undefined) continue;
      for (const file of files.filter((file) => changed === undefined || changed === file)) {
        work = work.then(() => copy(join(projectDirectory, file), join(codeDirectory, file))).catch(onError);
      }
    }
    return work;
  };
  const watcher = watch(projectDirectory, (_, file) => {
    if (file !== null) follow(file);
  });
  watcher.on("error", onError);
  // The CDK reuses an equal bundle of an earlier run, which may contain an older copy.
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
