import { watch } from "node:fs";
import { join } from "node:path";

interface WatchOptions {
  /** The folders to watch, with everything in them. */
  folders: readonly string[];
  projectDirectory: string;
  /** Gets the paths, from the top of the project, of files that changed at about the same time. */
  onChange: (paths: readonly string[]) => void;
  onError: (error: unknown) => void;
}

/** Editors write a file in several steps, and a change of branch touches many files. */
const quietMilliseconds = 50;

const isSource = (path: string): boolean => /\.(ts|tsx|mts|mjs|css|html|json)$/.test(path);

/** Reports changed source files, together once they have been quiet for a moment. */
export const watchProject = ({ folders, projectDirectory, onChange, onError }: WatchOptions): { close: () => void } => {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    const paths = [...changed];
    changed.clear();
    onChange(paths);
  };
  const watchers = folders.map((folder) => {
    const watcher = watch(join(projectDirectory, folder), { recursive: true }, (_, file) => {
      if (file === null || !isSource(file)) return;
      changed.add(join(folder, file));
      clearTimeout(timer);
      timer = setTimeout(report, quietMilliseconds);
    });
    watcher.on("error", onError);
    return watcher;
  });
  return {
    close: () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
};
