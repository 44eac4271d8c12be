import { closeSync, openSync, writeSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { devNull } from "node:os";
import type { FileStep } from "../support/drivers.ts";

type Functions = Record<string, (...options: never[]) => unknown>;

const handle = await fs.open(devNull);
const handles: Functions = Object.getPrototypeOf(handle);
await handle.close();

/** Lets the next use of a file fail as on a full disk, or kills this program, at this step. */
export const breakFiles = (step: FileStep, by: "failing" | "killing"): void => {
  const name = step === "renamed" ? "rename" : step;
  const functions: Functions = name === "rename" ? { rename: fs.rename } : handles;
  const original = functions[name];
  const install = (replacement: typeof original): void => {
    Object.assign(name === "rename" ? fs : handles, { [name]: replacement });
    syncBuiltinESMExports();
  };
  install(async function (this: unknown, ...options: never[]) {
    install(original);
    if (step === "renamed") await original?.apply(this, options);
    if (by === "killing") process.kill(process.pid, "SIGKILL");
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", syscall: name });
  });
};

/** The steps at which this program can be paused, and the objects that they belong to. */
const steps: [owner: object, names: string[]][] = [
  [fs, ["lstat", "open", "readdir", "rename", "rm"]],
  [globalThis, ["fetch"]],
];
let pause: { before: number; until: string } | undefined;

for (const [owner, names] of steps) {
  for (const name of names) {
    const original = Reflect.get(owner, name);
    const counted = function (this: unknown, ...options: unknown[]) {
      if (pause && --pause.before === 0) {
        writeSync(1, '{"paused":true}\n');
        closeSync(openSync(pause.until, "r"));
      }
      return Reflect.apply(original, this, options);
    };
    Reflect.set(owner, name, counted);
  }
}
syncBuiltinESMExports();

/** Pauses this program before one of its next steps with files or the network, until the named pipe is opened to write. */
export const pauseAt = (before: number, until: string): void => {
  pause = { before, until };
};
