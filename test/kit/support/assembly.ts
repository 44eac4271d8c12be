import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { synthesise } from "../../../local/synthesise.ts";

/** Returns a function that synthesises the CDK app in the current folder, once for the tests of one file. */
export const useAssembly = (): (() => Promise<string>) => {
  let folder: string | undefined;
  const synthesiseOnce = async (): Promise<string> => {
    folder = await mkdtemp(join(tmpdir(), "integration-api-assembly-"));
    return synthesise(folder);
  };
  let synthesis: Promise<string> | undefined;
  afterAll(async () => folder !== undefined && rm(folder, { recursive: true }));
  return () => {
    synthesis ??= synthesiseOnce();
    return synthesis;
  };
};
