import { execFile } from "node:child_process";
import { promisify } from "node:util";

const intervalMilliseconds = 500;

/**
 * Calls `exit` once the npm that started this process has ended. npm starts a script through a shell, which does not pass signals
 * on. Without this function, ending npm would leave the service running and its ports in use.
 */
export const exitWithParent = async (exit: () => void): Promise<void> => {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parents = await findParents();
  const timer = setInterval(() => {
    if (parents.every(isAlive)) return;
    clearInterval(timer);
    exit();
  }, intervalMilliseconds);
  timer.unref();
};

/** Finds npm and the shell between npm and this process. Some shells replace themselves with the script. */
const findParents = async (): Promise<number[]> => {
  const parent = process.ppid;
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=,comm=", "-p", String(parent)]);
    const [grandparent, program = ""] = stdout.trim().split(/\s+/);
    return /(^|\/)-?(ba|da|z|k)?sh$/.test(program) ? [parent, Number(grandparent)] : [parent];
  } catch {
    // Without `ps`, only the shell is watched.
    return [parent];
  }
};

const isAlive = (processId: number): boolean => {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
};
