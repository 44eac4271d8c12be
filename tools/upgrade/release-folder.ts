import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import * as z from "zod/mini";
import type { Description } from "../../testing/contract/description.ts";

/* What later versions are compared with. */

const inRelease = (file: string): URL => new URL(`release/${file}`, import.meta.url);

const readPart = async (file: string): Promise<unknown> => JSON.parse(await readFile(inRelease(file), "utf8"));

export const writePart = (
  file: "accepted-changes.json" | "data-stacks.json" | "description.json" | "outputs.json",
  value: object,
): Promise<void> => writeFile(inRelease(file), `${JSON.stringify(value, undefined, 2)}\n`);

const resourceSchema = z.object({ Type: z.string(), Properties: z._default(z.record(z.string(), z.unknown()), {}) });
export type Resource = z.output<typeof resourceSchema>;
export const resourcesSchema = z.record(z.string(), resourceSchema);

/** The name of a data stack, and by logical id the resources that hold data with the properties that cannot be changed. */
const stackSchema = z.object({ stackName: z.string(), resources: resourcesSchema });
export type DataStack = z.output<typeof stackSchema>;

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

/** By the options that they were synthesised with. */
export const releasedDataStacks = async (): Promise<Record<string, DataStack>> =>
  z.record(z.string(), stackSchema).parse(await readPart("data-stacks.json"));

/** Of the last release and of all earlier ones that a deployment may still return to. */
export const releasedOutputs = async (): Promise<ReleasedOutputs[]> =>
  outputsSchema.parse(await readPart("outputs.json"));

export const releasedDescription = async () => (await readPart("description.json")) as Description;

/** The changes since the release that can break a client and are accepted for a reason. */
export const acceptedChanges = async () => acceptedSchema.parse(await readPart("accepted-changes.json"));

const packedSchema = z.object({ version: z.string(), files: z.record(z.string(), z.string()) });

/** The released cloud assembly of this project's service, and an application with its own. */
type Packed = "assembly.json.br" | "example.json.br";

const readPacked = async (packed: Packed) => {
  const text = await promisify(brotliDecompress)(await readFile(inRelease(packed)));
  return packedSchema.parse(JSON.parse(text.toString("utf8")));
};

export const releasedVersion = async (): Promise<string> => (await readPacked("assembly.json.br")).version;

/** Writes what was packed into a folder, without the files of the web interface. */
export const unpackFiles = async (packed: Packed, directory: string): Promise<string> => {
  for (const [path, text] of Object.entries((await readPacked(packed)).files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return directory;
};

export const unpackAssembly = (directory: string): Promise<string> => unpackFiles("assembly.json.br", directory);

/**
 * Stores a folder with a cloud assembly: all sources, and of the assembly what the local run needs, which are the manifest, the
 * templates and the code of the functions.
 */
export const packFiles = async (packed: Packed, version: string, directory: string): Promise<void> => {
  const all = await readdir(directory, { recursive: true });
  const needed = all.filter((file) =>
    /^(sources\/.*\.\w+|(assembly\/)?(manifest\.json|[^/]+\.template\.json|asset\.[^/]+\/index\.js))$/.test(file),
  );
  const texts = needed.toSorted().map(async (file) => [file, await readFile(join(directory, file), "utf8")]);
  const text = Buffer.from(JSON.stringify({ version, files: Object.fromEntries(await Promise.all(texts)) }));
  // The functions have most of their code in common. A window of 16 MB finds it, so 1.8 MB become some 120 KB.
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  await writeFile(inRelease(packed), await promisify(brotliCompress)(text, { params }));
};
