import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { followLiveFiles } from "../../local/live-files.ts";
import { projectDirectory } from "../../local/synthesise.ts";
import { startService, type TestService } from "./service.ts";

export interface DocumentationService extends TestService {
  /** The file `api-docs.json` in the bundle of the running function. */
  descriptionFile: string;
}

/** Starts the service on a copy of the assembly of its own, in which the test may damage a bundle. */
export const startDocumentationService = async (): Promise<DocumentationService> => {
  const assemblyDirectory = await mkdtemp(join(tmpdir(), "integration-api-documentation-"));
  await cp(inject("assemblyDirectory"), assemblyDirectory, { recursive: true });
  const files = await readdir(assemblyDirectory, { recursive: true });
  const table = files.find((file) => /^asset\.\w+\/site\.json$/.test(file));
  if (!table) throw new Error("No bundle has a site.json.");
  const service = await startService({ assemblyDirectory });
  const onError = (error: unknown) => {
    throw error;
  };
  const follower = await followLiveFiles(service, { projectDirectory, onError });
  return {
    ...service,
    descriptionFile: join(assemblyDirectory, table, "../api-docs.json"),
    close: async () => {
      follower.close();
      await service.close();
      await rm(assemblyDirectory, { recursive: true });
    },
  };
};
