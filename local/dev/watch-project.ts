import { once } from "node:events";
import { sep } from "node:path";
import { watch } from "chokidar";

interface WatchOptions {
  /** The folders to watch, with everything in them. */
  folders: string[];
  projectDirectory: string;
  /** Gets the paths, relative to the project, of files that changed at about the same time. */
  onChange: (paths: readonly string[]) => void;
  onError: (error: unknown) => void;
}

/** Editors write a file in several steps, and a change of branch touches many files. */
const quietMilliseconds = 50;

const isSource = (path: string): boolean => /\.(ts|tsx|mts|mjs|css|html|json)$/.test(path);

/**
 * Reports changed source files, together once they have been quiet for a moment.
 *
 * Node's own recursive watching loses sight of a file on Linux once an editor has replaced it instead of writing into it.
 */
export const watchProject = async ({
  folders,
  projectDirectory,
  onChange,
  onError,
}: WatchOptions): Promise<{ close: () => Promise<void> }> => {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    const paths = [...changed];
    changed.clear();
    onChange(paths);
  };
  const watcher = watch(folders, { cwd: projectDirectory, ignoreInitial: true });
  watcher.on("error", onError);
  watcher.on("all", (_, path) => {
    if (!isSource(path)) return;
    // esbuild names the files of a bundle in this form too.
    changed.add(path.replaceAll(sep, "/"));
    clearTimeout(timer);
    timer = setTimeout(report, quietMilliseconds);
  });
  await once(watcher, "ready");
  return {
    async close() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
};
