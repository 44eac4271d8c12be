import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { descriptionFile } from "../../lambdas/site/serve-documentation.ts";
import { type OwnService, startService } from "./service.ts";

export interface DocumentationService extends OwnService {
  /** The file `api-docs.json` in the bundle of the running function. */
  descriptionFile: string;
}

/** Starts the service on a separate copy of the assembly, so that a test may damage a bundle. */
export const startDocumentationService = async (): Promise<DocumentationService> => {
  const assemblyDirectory = await mkdtemp(join(tmpdir(), "integration-api-documentation-"));
  await cp(inject("assemblyDirectory"), assemblyDirectory, { recursive: true });
  const service = await startService({ assemblyDirectory });
  const codeDirectory = service.codeDirectoryOf("site");
  if (codeDirectory === undefined) throw new Error("The service has no function named site.");
  return {
    ...service,
    descriptionFile: join(codeDirectory, descriptionFile),
    close: async () => {
      await service.close();
      await rm(assemblyDirectory, { recursive: true });
    },
  };
};
