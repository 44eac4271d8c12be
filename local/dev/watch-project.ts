import { once } from "node:events";
import { relative, resolve } from "node:path";
import { watch } from "chokidar";

interface WatchOptions {
  /** The folders to watch, including their subfolders. */
  folders: string[];
  serviceFolder: string;
  settingsFile: string;
  /** Called once, with their paths, for files that change at about the same time. */
  onChange: (files: string[]) => void;
  /** Called before `onChange` if the settings have changed. */
  onSettings: () => void;
  onError: (error: unknown) => void;
}

/** Changes are reported together, because editors write in several steps and switching branches touches many files. */
const quietMilliseconds = 20;

/** Matches packages, outputs and hidden folders. Each synthesis writes the description, which must not start another one. */
const isIgnored = (path: string): boolean =>
  /(^|\/)(node_modules|cdk\.out|api-docs\.json.*|\.[^./][^/]*)(\/|$)/.test(path);

const isSource = (path: string): boolean => /\.(ts|tsx|mts|mjs|css|html|json|md)$/.test(path);

/**
 * Reports changed source files together, once no file has changed for a moment.
 *
 * On Linux, Node's own recursive watching loses a file when an editor replaces the file instead of writing into it.
 */
export const watchProject = async ({
  folders,
  serviceFolder,
  settingsFile,
  onChange,
  onSettings,
  onError,
}: WatchOptions): Promise<{ close: () => Promise<void> }> => {
  let timer: NodeJS.Timeout | undefined;
  const changed = new Set<string>();
  const report = () => {
    const files = [...changed];
    changed.clear();
    onChange(files);
  };
  const watcher = watch([...folders, settingsFile], {
    cwd: serviceFolder,
    ignoreInitial: true,
    ignored: (path) => path !== settingsFile && isIgnored(relative(serviceFolder, resolve(serviceFolder, path))),
  });
  watcher.on("error", onError);
  watcher.on("all", (_, path) => {
    if (!isSource(path)) return;
    const file = resolve(serviceFolder, path);
    if (file === settingsFile) onSettings();
    changed.add(file);
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
