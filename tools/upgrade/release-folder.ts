import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import * as z from "zod/mini";
import type { Description } from "../support/contract/description.ts";

const inRelease = (file: string): string => fileURLToPath(new URL(`release/${file}`, import.meta.url));

const assemblyFile = inRelease("assembly.json.br");
const templatesFile = inRelease("data-stacks.json");
const descriptionFile = inRelease("description.json");
const acceptedFile = inRelease("accepted-changes.json");
const outputsFile = inRelease("outputs.json");

const assemblySchema = z.object({ version: z.string(), files: z.record(z.string(), z.string()) });

/** The parts that a data stack must keep: its name, and by logical id the resources that hold data. */
export interface DataStack {
  stackName: string;
  resources: Record<string, StatefulResource>;
}

export interface StatefulResource {
  Type: string;
  Properties: Record<string, unknown>;
}

const stacksSchema = z.record(
  z.string(),
  z.object({
    stackName: z.string(),
    resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()) })),
  }),
);

const outputsSchema = z.array(
  z.object({
    release: z.string(),
    /** The options of a deployment whose API's stack needs these outputs. */
    options: z.record(z.string(), z.string()),
    /** The shared values of the data stack, by the name of the output. */
    outputs: z.record(z.string(), z.string()),
  }),
);

/** The outputs of the data stack that the API's stack of a release needs. */
export type ReleasedOutputs = z.output<typeof outputsSchema>[number];

const acceptedSchema = z.array(z.object({ placeEnds: z.string(), changeBegins: z.string(), reason: z.string() }));

/** A change that can break a client and is accepted for a reason. */
export type AcceptedChange = z.output<typeof acceptedSchema>[number];

/** Everything that later versions are compared with. */
export interface Release {
  version: string;
  /** The cloud assembly in production. */
  assemblyDirectory: string;
  /** By the options that they were synthesised with. */
  dataStacks: Record<string, DataStack>;
  /** Of this release and of all earlier ones that a deployment may still return to. */
  outputs: ReleasedOutputs[];
  description: Description;
}

/** Replaces the last release. Changes that were accepted since then are part of it. */
export const recordRelease = async (release: Release): Promise<void> => {
  const { version, assemblyDirectory, dataStacks, outputs, description } = release;
  await mkdir(dirname(assemblyFile), { recursive: true });
  await writeFile(assemblyFile, await pack({ version, files: await runnableFiles(assemblyDirectory) }));
  await writeFile(templatesFile, `${JSON.stringify(dataStacks, undefined, 2)}\n`);
  await writeFile(outputsFile, `${JSON.stringify(outputs, undefined, 2)}\n`);
  await writeFile(descriptionFile, `${JSON.stringify(description, undefined, 2)}\n`);
  await writeFile(acceptedFile, "[]\n");
};

/** Writes the last release's cloud assembly into a folder, without the files of the web interface. */
export const unpackAssembly = async (directory: string): Promise<string> => {
  for (const [path, text] of Object.entries((await readAssembly()).files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return directory;
};

export const releasedVersion = async (): Promise<string> => (await readAssembly()).version;

export const releasedDataStacks = async (): Promise<Record<string, DataStack>> =>
  stacksSchema.parse(JSON.parse(await readFile(templatesFile, "utf8")));

export const releasedOutputs = async (): Promise<ReleasedOutputs[]> =>
  outputsSchema.parse(JSON.parse(await readFile(outputsFile, "utf8")));

export const releasedDescription = async (): Promise<Description> =>
  JSON.parse(await readFile(descriptionFile, "utf8"));

export const acceptedChanges = async (): Promise<AcceptedChange[]> =>
  acceptedSchema.parse(JSON.parse(await readFile(acceptedFile, "utf8")));

/** The parts of an assembly that the local run needs: the manifest, the templates and the code of the functions. */
const runnableFiles = async (assemblyDirectory: string): Promise<Record<string, string>> => {
  const files = await readdir(assemblyDirectory, { recursive: true });
  const needed = files.filter((file) => /^(manifest\.json|[^/]+\.template\.json|asset\.[^/]+\/index\.js)$/.test(file));
  const texts = needed.toSorted().map(async (file) => [file, await readFile(join(assemblyDirectory, file), "utf8")]);
  return Object.fromEntries(await Promise.all(texts));
};

// The functions have most of their code in common. A window of 16 MB finds it, so 1.8 MB become some 120 KB.
const pack = (assembly: z.output<typeof assemblySchema>): Promise<Buffer> => {
  const text = Buffer.from(JSON.stringify(assembly));
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  return promisify(brotliCompress)(text, { params });
};

const readAssembly = async () => {
  const text = await promisify(brotliDecompress)(await readFile(assemblyFile));
  return assemblySchema.parse(JSON.parse(text.toString("utf8")));
};
