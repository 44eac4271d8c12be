import { rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { DeclarationError } from "../lambdas/declaration/check-declarations.ts";
import { checkFiles } from "../lambdas/declaration/check-files.ts";
import type { Service } from "../lambdas/declaration/service.ts";
import { serviceFolder } from "../lambdas/shared/project-folder.ts";
import { descriptionFile } from "../lambdas/site/serve-documentation.ts";
import { describeApi, IncompleteDeclarations } from "../openapi/describe-api.ts";
import { helpIfAsked } from "./help-if-asked.ts";

helpIfAsked(`Usage: integration-api docs MODULE

Writes ${descriptionFile}, the OpenAPI description of the service that the module exports, into the current folder.
`);

const isService = (value: unknown): value is Service =>
  typeof value === "object" && value !== null && "versions" in value && "errors" in value;

const [module = ""] = process.argv.slice(2);
try {
  const exported: Record<string, unknown> = await import(pathToFileURL(resolve(module)).href);
  const [service, ...others] = Object.values(exported).filter(isService);
  if (!service || others.length > 0) throw new IncompleteDeclarations(`${module} does not export exactly one service.`);
  checkFiles(service);
  const file = join(serviceFolder, descriptionFile);
  // A running service may be reading the file, so it is replaced in one step.
  await writeFile(`${file}.${process.pid}`, `${JSON.stringify(describeApi(service), null, 2)}\n`);
  await rename(`${file}.${process.pid}`, file);
} catch (error) {
  if (!(error instanceof IncompleteDeclarations || error instanceof DeclarationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
