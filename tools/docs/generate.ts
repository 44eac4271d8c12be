/* `npm run docs` writes all generated documents. `node tools/docs/generate.ts <file>` writes one. */

import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeApi } from "../../infra/build/description/describe-api.ts";
import { api } from "../../lambdas/api.ts";
import { installDeveloperPackages } from "../support/developer-packages.ts";
import { errorPage, lifeCyclePage, noticeSchema } from "./pages.ts";

const description = (): string => `${JSON.stringify(describeApi(api), null, 2)}\n`;

const scale = async (assemblyDirectory: string): Promise<string> => {
  const [{ readStacks, scaleDocument }, { readMeasured }] = await Promise.all([
    import("../costs/scale.ts"),
    import("../costs/calls.ts"),
  ]);
  return scaleDocument(await readMeasured(), await readStacks(assemblyDirectory));
};

/** The generated documents by file. Some follow from the cloud assembly. */
export const documents: Readonly<Record<string, (assembly: () => Promise<string>) => Promise<string>>> = {
  "api-docs.json": async () => description(),
  "docs/errors.md": async () => errorPage(),
  "docs/life-cycle.md": async () => lifeCyclePage(),
  "docs/notice-event.schema.json": async () => noticeSchema(),
  "docs/scale.md": async (assembly) => scale(await assembly()),
  "packages/client/src/api-types.ts": async () => {
    await installDeveloperPackages();
    return (await import("../../packages/client/generate-types.ts")).generateTypes(description());
  },
};

const project = new URL("../../", import.meta.url);

/** Writes a document. A running service may be reading it, so it is replaced in one step. */
const write = async (file: string, text: string): Promise<void> => {
  const draft = new URL(`${file}.${process.pid}`, project);
  await writeFile(draft, text);
  await rename(draft, new URL(file, project));
};

const generate = async (files: readonly string[]): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), "integration-api-docs-"));
  const assembly = async () => (await import("../../local/synthesise.ts")).synthesise(directory);
  try {
    for (const [file, create] of Object.entries(documents)) {
      if (files.length === 0 || files.includes(file)) await write(file, await create(assembly));
    }
  } finally {
    await rm(directory, { recursive: true });
  }
};

if (import.meta.main) {
  const files = process.argv.slice(2);
  const unknown = files.filter((file) => !Object.hasOwn(documents, file));
  if (unknown.length > 0) {
    process.stderr.write(`${unknown.join(", ")} is not generated. These are: ${Object.keys(documents).join(", ")}.\n`);
    process.exitCode = 1;
  } else await generate(files);
}
