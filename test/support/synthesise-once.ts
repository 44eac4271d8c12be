import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalServiceOptions } from "cdk-local-runner";
import type { TestProject } from "vitest/node";
import { readSettings } from "../../local/settings.ts";
import { synthesise } from "../../local/synthesise.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The cloud assembly of the stacks, as `cdk synth` writes it. */
    assemblyDirectory: string;
    /** The folder where tests store assemblies of other stages and options for later tests. */
    otherAssemblies: string;
    /** The DynamoDB that `AWS_ENDPOINT_URL_DYNAMODB` named when the tests began. Some tests change that variable. */
    externalDatabase: LocalServiceOptions["externalDatabase"];
  }
}

/** Synthesises the stacks once for all tests, for production or the stage in `STAGE`, and records which database to use. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "integration-api-assembly-"));
  const { STAGE: stage } = process.env;
  provide("assemblyDirectory", await synthesise(directory, { context: stage ? { stage } : {} }));
  provide("otherAssemblies", directory);
  provide("externalDatabase", readSettings(process.env).externalDatabase);
  return () => rm(directory, { recursive: true });
}
