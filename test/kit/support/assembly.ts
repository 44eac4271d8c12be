import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { synthesise } from "../../../local/synthesise.ts";

/**
 * Returns a function that synthesises the CDK app in the current folder, once for the tests of one file.
 *
 * @param settings the values of settings that differ from the examples
 */
export const useAssembly = (settings: Readonly<Record<string, string>> = {}): (() => Promise<string>) => {
  const values = Object.entries(settings).map(([name, value]) => [`settings.${name}`, value]);
  let folder: string | undefined;
  const synthesiseOnce = async (): Promise<string> => {
    folder = await mkdtemp(join(tmpdir(), "integration-api-assembly-"));
    return synthesise(folder, { context: Object.fromEntries(values) });
  };
  let synthesis: Promise<string> | undefined;
  afterAll(async () => folder !== undefined && rm(folder, { recursive: true }));
  return () => {
    synthesis ??= synthesiseOnce();
    return synthesis;
  };
};
