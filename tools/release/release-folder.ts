import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import * as z from "zod/mini";
import type { Description } from "../../test/kit/contract/description.ts";

/* The recorded release that later versions are compared with. */

const inRelease = (file: string): URL => new URL(`recorded/${file}`, import.meta.url);

const resourceSchema = z.object({ Type: z.string(), Properties: z._default(z.record(z.string(), z.unknown()), {}) });
export type Resource = z.output<typeof resourceSchema>;
export const resourcesSchema = z.record(z.string(), resourceSchema);

/** The name of a data stack, and by logical id the resources that hold data, with the properties that cannot be changed. */
const stackSchema = z.object({ stackName: z.string(), resources: resourcesSchema });
export type DataStack = z.output<typeof stackSchema>;

const releaseSchema = z.object({
  version: z.string(),
  /** The OpenAPI description of the API. */
  description: z.custom<Description>(),
  /** By the options that they were synthesised with. */
  dataStacks: z.record(z.string(), stackSchema),
  /** The contents of the files in the folders `service` and `example`. */
  files: z.record(z.string(), z.string()),
});
export type Release = z.output<typeof releaseSchema>;

const packedFile = inRelease("release.json.br");

/** Reads the last release. */
export const readRelease = async (): Promise<Release> => {
  const text = await promisify(brotliDecompress)(await readFile(packedFile));
  return releaseSchema.parse(JSON.parse(text.toString("utf8")));
};

export const writeRelease = async (release: Release): Promise<void> => {
  const text = Buffer.from(JSON.stringify(release));
  // The functions share most of their code. A window of 16 MB finds it.
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  await writeFile(packedFile, await promisify(brotliCompress)(text, { params }));
};

/** The cloud assembly of this project's service, or the example with an application's sources and assembly. */
type Part = "service" | "example";

/** Writes one part of the last release into a folder. The files of the web interface are not recorded. */
export const unpackRelease = async (part: Part, directory: string): Promise<string> => {
  for (const [path, text] of Object.entries((await readRelease()).files)) {
    if (!path.startsWith(`${part}/`)) continue;
    const file = join(directory, path.slice(part.length + 1));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return directory;
};

/**
 * Reads the files of a folder that a recording needs: all sources, and the parts of a cloud assembly that the local run needs.
 * These parts are the manifest, the templates and the code of the functions.
 */
export const filesOf = async (part: Part, directory: string): Promise<Release["files"]> => {
  const all = await readdir(directory, { recursive: true });
  const needed = all.filter((file) =>
    /^(sources\/.*\.\w+|(assembly\/)?((manifest|cdk-local-runner)\.json|[^/]+\.template\.json|asset\.[^/]+\/index\.m?js))$/.test(
      file,
    ),
  );
  const texts = needed
    .toSorted()
    .map(async (file) => [`${part}/${file}`, await readFile(join(directory, file), "utf8")]);
  return Object.fromEntries(await Promise.all(texts));
};

const outputsSchema = z.array(
  z.object({
    release: z.string(),
    /** The options of a deployment whose API stack needs these outputs. */
    options: z.record(z.string(), z.string()),
    /** The shared values of the data stack, by the name of the output. */
    outputs: z.record(z.string(), z.string()),
  }),
);

/** The outputs of the data stack that a release's API stack needs. */
export type ReleasedOutputs = z.output<typeof outputsSchema>[number];

const acceptedSchema = z.array(z.object({ placeEnds: z.string(), changeBegins: z.string(), reason: z.string() }));

const readPart = async (file: string): Promise<unknown> => JSON.parse(await readFile(inRelease(file), "utf8"));

export const writePart = (file: "accepted-changes.json" | "outputs.json", value: object): Promise<void> =>
  writeFile(inRelease(file), `${JSON.stringify(value, undefined, 2)}\n`);

/** Reads the outputs of the last release and of all earlier releases that a deployment may still return to. */
export const releasedOutputs = async (): Promise<ReleasedOutputs[]> =>
  outputsSchema.parse(await readPart("outputs.json"));

/** Reads the changes since the release that can break a client but are accepted for a reason. */
export const acceptedChanges = async () => acceptedSchema.parse(await readPart("accepted-changes.json"));

/** Checks whether a version is unreleased. Until the first release, the present state is recorded. */
export const isInDevelopment = (version: string): boolean => version.endsWith("-dev");

/** Returns instructions for a change that is incompatible with the last release. */
export const incompatibleWith = ({ version }: Pick<Release, "version">): string =>
  isInDevelopment(version)
    ? `This differs from the recorded state of ${version}. Until 1.0.0 is published, record it again with npm run record-release, and say so in the commit.`
    : `Deployments and clients of release ${version} would break.`;
