import { randomUUID } from "node:crypto";
import { watch } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../packages/local-runner/src/local-error.ts";

/** Files of the project that a function reads afresh for every request, by the function whose bundle has a copy. */
const liveFiles: Readonly<Record<string, readonly string[]>> = { site: ["api-docs.json"] };

/** What of a function matters here. */
interface RunningFunction {
  readonly name: string;
  readonly codeDirectory: string;
}

/** Keeps the copies in the bundles of running functions as the files of the project are: changed, new or gone. */
export async function followLiveFiles(
  functions: readonly RunningFunction[],
  { projectDirectory, onError }: { projectDirectory: string; onError: (error: unknown) => void },
): Promise<{ readonly close: () => void }> {
  const copies = functions.flatMap(({ name, codeDirectory }) =>
    (liveFiles[name] ?? []).map((file) => ({ file, codeDirectory })),
  );
  // One after the other, so that what happened last is what stays.
  let work = Promise.resolve();
  const follow = (changed?: string) => {
    for (const { file, codeDirectory } of copies) {
      if (changed !== undefined && changed !== file) continue;
      work = work.then(() => copy(join(projectDirectory, file), join(codeDirectory, file))).catch(onError);
    }
    return work;
  };
  const watcher = watch(projectDirectory, (_, file) => {
    if (file !== null) follow(file);
  });
  watcher.on("error", onError);
  // The CDK takes a bundle of an earlier run for the same one, and that run may have left another copy in it.
  await follow();
  return watcher;
}

/** Replaces the copy in one step: the function may be reading it. */
async function copy(from: string, to: string): Promise<void> {
  // Another run may be doing the same in the same folder.
  const draft = `${to}.${randomUUID()}`;
  try {
    await copyFile(from, draft);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return rm(to, { force: true });
  }
  await rename(draft, to);
}
