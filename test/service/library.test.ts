import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { synthesise } from "../../local/synthesise.ts";
import { libraryApi } from "../fixtures/library/api.ts";
import { testAssembly } from "../kit/test-assembly.ts";

let folder: string;
let assemblyDirectory: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-library-"));
  assemblyDirectory = await synthesise(folder, { app: "node test/fixtures/library/app.ts" });
});
afterAll(() => rm(folder, { recursive: true }));

describe("a service with every kind of field and endpoint passes without additional requests:", () => {
  testAssembly(libraryApi, { assembly: async () => assemblyDirectory, seed: 1 });
});
