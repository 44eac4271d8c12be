import { closeSync, openSync, writeSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { devNull } from "node:os";
import type { Command, Step } from "./protocol.ts";

type Interruption = Extract<Command, { call: "interrupt" }>;

const handle = await fs.open(devNull);
const handles: object = Object.getPrototypeOf(handle);
await handle.close();

/** The functions that make a step, and the objects that have them. */
const functions: [step: Step, owner: object, name: string][] = [
  ["look", fs, "lstat"],
  ["look", fs, "readdir"],
  ["open", fs, "open"],
  ["write", handles, "write"],
  ["sync", handles, "sync"],
  ["rename", fs, "rename"],
  ["remove", fs, "rm"],
  ["connect", globalThis, "fetch"],
];

let planned: Interruption | undefined;

for (const [step, owner, name] of functions) {
  const original = Reflect.get(owner, name);
  Reflect.set(owner, name, async function (this: unknown, ...options: unknown[]) {
    if (planned?.steps.includes(step) && --planned.before === 0) {
      if (planned.until === undefined) {
        throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", syscall: step });
      }
      writeSync(1, '{"paused":true}\n');
      closeSync(openSync(planned.until, "r"));
    }
    return Reflect.apply(original, this, options);
  });
}
syncBuiltinESMExports();

/** Interrupts this program at one of its next steps. */
export const interrupt = (next: Interruption): void => {
  planned = next;
};
