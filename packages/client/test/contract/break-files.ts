import { closeSync, openSync, writeSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { devNull } from "node:os";
import type { Command, FileStep } from "./protocol.ts";

const handle = await fs.open(devNull);
const handles: object = Object.getPrototypeOf(handle);
await handle.close();

type Pause = Extract<Command, { call: "pause" }>;

/** Makes this or a later step fail at the next use of a file, as on a full disk. */
export const breakFiles = ({ step, time = 1 }: { step: FileStep; time?: number }): void => {
  const owner: object = step === "rename" ? fs : handles;
  const original = Reflect.get(owner, step);
  let left = time;
  const install = (replacement: unknown): void => {
    Reflect.set(owner, step, replacement);
    syncBuiltinESMExports();
  };
  install(async function (this: unknown, ...options: unknown[]) {
    left -= 1;
    if (left > 0) return Reflect.apply(original, this, options);
    install(original);
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", syscall: step });
  });
};

/** The steps at which this program can be paused, with the objects that have them. */
const steps: [owner: object, names: string[]][] = [
  [fs, ["lstat", "open", "readdir", "rename", "rm"]],
  [globalThis, ["fetch"]],
];
const withoutEffect = ["lstat", "readdir"];
let pause: Pause | undefined;

for (const [owner, names] of steps) {
  for (const name of names) {
    const original = Reflect.get(owner, name);
    const counted = function (this: unknown, ...options: unknown[]) {
      const isLeftOut = pause?.only_effects === true && withoutEffect.includes(name);
      if (pause && !isLeftOut && --pause.before === 0) {
        writeSync(1, '{"paused":true}\n');
        closeSync(openSync(pause.until, "r"));
      }
      return Reflect.apply(original, this, options);
    };
    Reflect.set(owner, name, counted);
  }
}
syncBuiltinESMExports();

/** Pauses this program before one of its next file or network steps, until the named pipe is opened to write. */
export const pauseAt = (next: Pause): void => {
  pause = next;
};
