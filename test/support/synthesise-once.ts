import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { synthesise } from "../../local/synthesise.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The cloud assembly of the stacks, as `cdk synth` writes it. */
    assemblyDirectory: string;
    /** The folder where tests store the assemblies of other stages and options for later tests. */
    otherAssemblies: string;
  }
}

/** Synthesises the stacks once for all tests, for production or the stage in `STAGE`. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "integration-api-assembly-"));
  const { STAGE: stage } = process.env;
  provide("assemblyDirectory", await synthesise(directory, { context: stage ? { stage } : {} }));
  provide("otherAssemblies", directory);
  return () => rm(directory, { recursive: true });
}
