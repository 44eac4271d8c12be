import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { synthesise } from "../../local/synthesise.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The cloud assembly of the stack, as `cdk synth` writes it. */
    assemblyDirectory: string;
  }
}

/** Synthesises the stack once for all tests. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "integration-api-assembly-"));
  provide("assemblyDirectory", await synthesise(directory));
  return () => rm(directory, { recursive: true });
}
