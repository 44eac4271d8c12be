import { execFile } from "node:child_process";
import { promisify } from "node:util";

const everyMilliseconds = 500;

/**
 * Calls `onGone` once the npm that started this process has ended. npm starts a script through a shell, which passes no
 * signal on: without this, ending npm would leave the service running and its ports held.
 */
export async function watchStarter(onGone: () => void): Promise<void> {
  if (process.env.npm_lifecycle_event === undefined) return;
  const starters = await findStarters();
  const timer = setInterval(() => {
    if (starters.every(isAlive)) return;
    clearInterval(timer);
    onGone();
  }, everyMilliseconds);
  timer.unref();
}

/** npm, and the shell between it and this process; some shells put the script in their own place. */
async function findStarters(): Promise<number[]> {
  const parent = process.ppid;
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=,comm=", "-p", String(parent)]);
    const [grandparent, program = ""] = stdout.trim().split(/\s+/);
    return /(^|\/)-?(ba|da|z|k)?sh$/.test(program) ? [parent, Number(grandparent)] : [parent];
  } catch {
    // No ps here: the shell alone tells what it can.
    return [parent];
  }
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
