import { once } from "node:events";
import { relative, resolve } from "node:path";
import { watch } from "chokidar";

interface WatchOptions {
  /** The folders to watch, with everything in them. */
  folders: string[];
  serviceFolder: string;
  /** Called once for files that change at about the same time. */
  onChange: () => void;
  onError: (error: unknown) => void;
}

/** Changes are reported together, because editors write in several steps and a change of branch touches many files. */
const quietMilliseconds = 50;

/** Packages, outputs and hidden folders. */
const isIgnored = (path: string): boolean => /(^|\/)(node_modules|cdk\.out|\.[^./][^/]*)(\/|$)/.test(path);

const isSource = (path: string): boolean => /\.(ts|tsx|mts|mjs|css|html|json|md)$/.test(path);

/**
 * Reports changed source files, together once they have been quiet for a moment.
 *
 * Node's own recursive watching loses sight of a file on Linux once an editor has replaced it instead of writing into it.
 */
export const watchProject = async ({
  folders,
  serviceFolder,
  onChange,
  onError,
}: WatchOptions): Promise<{ close: () => Promise<void> }> => {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folders, {
    cwd: serviceFolder,
    ignoreInitial: true,
    ignored: (path) => isIgnored(relative(serviceFolder, resolve(serviceFolder, path))),
  });
  watcher.on("error", onError);
  watcher.on("all", (_, path) => {
    if (!isSource(path)) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, quietMilliseconds);
  });
  await once(watcher, "ready");
  return {
    async close() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
};
