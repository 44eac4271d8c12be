import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Experiment, Outcome, Trial } from "./experiment.ts";

/** A mistake on the command line. The message says what to do instead. */
export class UsageError extends Error {}

export type Wishes = Partial<Pick<Trial, "seed" | "seconds" | "isSmoke" | "plant" | "parts">> & {
  /** The values of other options. An option without a value is `true`. */
  options?: Readonly<Record<string, number | true>>;
};

interface Option {
  summary: string;
  takes?: "N" | "NAME";
}

/** Returns the options of an experiment, by name. */
export const optionsOf = ({ isSeeded, seconds, plants, options = {} }: Experiment): Record<string, Option> => ({
  ...(isSeeded && { seed: { summary: "repeats the random choices of an earlier run", takes: "N" } }),
  ...(seconds !== undefined && { seconds: { summary: `how long it lasts; otherwise ${seconds}`, takes: "N" } }),
  ...options,
  ...(plants && { plant: { summary: "adds a bug, to see it found", takes: "NAME" } }),
  smoke: { summary: "only the short form that npm test runs" },
});

/** Parses the command line of an experiment. */
export const readWishes = async (experiment: Experiment, words: readonly string[]): Promise<Wishes> => {
  const known = Object.entries(optionsOf(experiment));
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: Object.fromEntries(known.map(([name, { takes }]) => [name, { type: takes ? "string" : "boolean" }])),
  });
  const parts = positionals.map((word) => oneOf(experiment.parts ?? [], "part", word));
  const plantNames = (await experiment.plants?.()) ?? [];
  const { plant, smoke = false, ...others } = values;
  const { seed, seconds, ...options } = Object.fromEntries(
    Object.entries(others).map(([name, value]): [string, number | true] => [
      name,
      typeof value === "string" ? numberIn(name, value) : true,
    ]),
  );
  return {
    ...(typeof seed === "number" && { seed }),
    ...(typeof seconds === "number" && { seconds }),
    ...(typeof plant === "string" && { plant: oneOf(plantNames, "plant", plant) }),
    ...(parts.length > 0 && { parts }),
    isSmoke: smoke === true,
    options,
  };
};

const numberIn = (option: string, text: string): number => {
  if (/^\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`--${option} takes a number, not "${text}".`);
};

/** Returns the name that a word stands for. A folder may be given by its last path segment. */
const oneOf = (names: readonly string[], what: string, word: string): string => {
  const found = names.find((name) => name === word || name.endsWith(`/${word}`));
  if (found !== undefined) return found;
  if (names.length === 0)
    throw new UsageError(`This experiment has no ${what} that can be chosen: leave out "${word}".`);
  throw new UsageError(`There is no ${what} "${word}". These exist: ${names.join(", ")}.`);
};

type Surroundings = Partial<Pick<Trial, "say" | "progress">> & {
  /** The folder of the cloud assembly, if there already is one. */
  assemblyDirectory?: string;
};

/** Runs an experiment. */
export const conduct = async (
  { run, seconds = 0, parts = [] }: Experiment,
  { options = {}, isSmoke = false, plant, ...wishes }: Wishes,
  { assemblyDirectory, say = () => {}, progress = () => {} }: Surroundings = {},
): Promise<Outcome> => {
  const directory = await mkdtemp(join(tmpdir(), "integration-api-lab-"));
  let assembly = assemblyDirectory === undefined ? undefined : Promise.resolve(assemblyDirectory);
  try {
    return await run({
      seed: Date.now() % 1e9,
      seconds: isSmoke ? 0 : seconds,
      parts,
      ...wishes,
      isSmoke,
      plant,
      has: (option) => option in options,
      numberOf: (option) => (typeof options[option] === "number" ? options[option] : undefined),
      directory,
      assembly: () => {
        assembly ??= synthesiseIn(join(directory, "assembly"));
        return assembly;
      },
      say,
      progress,
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

const synthesiseIn = async (directory: string): Promise<string> => {
  const { synthesise } = await import("../../local/synthesise.ts");
  return synthesise(directory);
};
