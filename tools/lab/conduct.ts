import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** The input of an experiment: the words of the command line, and where it works and reports. */
export interface Trial {
  /** The seed of the random choices. */
  seed: number;
  /** The duration. In the smoke form, it is 0: the experiment ends once everything has been tried once. */
  seconds: number;
  /** The number of schedules. Default: as many as fit into the duration. */
  schedules: number | undefined;
  /** Whether this is the short form. */
  isSmoke: boolean;
  /** The experiment's own flags on the command line. */
  flags: ReadonlySet<string>;
  /** The bug to plant. */
  plant: string | undefined;
  /** A temporary folder, which is removed afterwards. */
  directory: string;
  /** Returns the folder of the cloud assembly. Synthesises the assembly first if necessary. */
  assembly: () => Promise<string>;
  /** Prints a line. */
  say: (line: string) => void;
  /** Replaces the line that shows the progress of the experiment. */
  progress: (text: string) => void;
}

export interface Outcome {
  /** Everything that went wrong. The command fails if there is any problem. */
  problems: readonly string[];
  /** Anything that was counted or measured. */
  figures?: Readonly<Record<string, number | string>>;
}

/** The options that take a number. */
const numbers = {
  seed: "Repeats the random choices of an earlier run.",
  seconds: "Duration.",
  schedules: "Number of schedules. Default: as many as fit into the duration.",
};

type NumberOption = keyof typeof numbers;

export interface Experiment {
  summary: string;
  numbers?: readonly NumberOption[];
  /** The experiment's own flags, with their descriptions. */
  flags?: Readonly<Record<string, string>>;
  /** The default duration. */
  seconds?: number;
  /** Returns the bugs that `--plant` can add to the service, to check that the experiment finds them. */
  plants?: () => Promise<readonly string[]>;
  /** The planted bugs that the smoke form finds, with the expected report. */
  smokePlants?: Readonly<Record<string, RegExp>>;
  run: (trial: Trial) => Promise<Outcome>;
}

/** A mistake on the command line. The message says what to do instead. */
export class UsageError extends Error {}

export type Wishes = Partial<Pick<Trial, NumberOption | "isSmoke" | "flags" | "plant">>;

/** Returns the options of an experiment with their descriptions. */
export const optionsOf = ({
  numbers: names = [],
  seconds,
  plants,
  flags = {},
}: Experiment): [option: string, text: string][] => [
  ...names.map((name): [string, string] => [
    `--${name} N`,
    `${numbers[name]}${name === "seconds" ? ` Default: ${seconds}.` : ""}`,
  ]),
  ...(plants ? [["--plant NAME", "Adds a bug, to see it found."] as [string, string]] : []),
  ...Object.entries(flags).map(([name, text]): [string, string] => [`--${name}`, text]),
  ["--smoke", "Runs only the short form that npm run test:all runs."],
];

/** Parses the command line of an experiment. */
export const readWishes = async (experiment: Experiment, words: readonly string[]): Promise<Wishes> => {
  const { numbers: names = [], plants, flags: own = {} } = experiment;
  const texts = [...names, ...(plants ? ["plant"] : [])].map((name) => [name, { type: "string" }] as const);
  const flags = ["smoke", ...Object.keys(own)].map((name) => [name, { type: "boolean" }] as const);
  const options = Object.fromEntries<{ type: "string" | "boolean" }>([...texts, ...flags]);
  const { values } = parseArgs({ args: [...words], options });
  const given = new Map(Object.entries(values));
  const plant = given.get("plant");
  const known = plant === undefined ? [] : ((await plants?.()) ?? []);
  if (typeof plant === "string" && !known.includes(plant)) {
    throw new UsageError(`There is no plant "${plant}". These exist: ${known.join(", ")}.`);
  }
  return {
    ...Object.fromEntries(
      names.filter((name) => given.has(name)).map((name) => [name, numberIn(name, given.get(name))]),
    ),
    ...(typeof plant === "string" && { plant }),
    isSmoke: given.get("smoke") === true,
    ...(experiment.flags && { flags: new Set(Object.keys(own).filter((name) => given.has(name))) }),
  };
};

const numberIn = (option: string, text: unknown): number => {
  if (/^\d{1,15}(\.\d+)?$/.test(String(text))) return Number(text);
  throw new UsageError(`--${option} takes a number, not "${text}".`);
};

type Surroundings = Partial<Pick<Trial, "say" | "progress">> & {
  /** The folder of the cloud assembly, if there already is one. */
  assemblyDirectory?: string;
};

/** Runs an experiment. */
export const conduct = async (
  { run, seconds = 0 }: Experiment,
  { isSmoke = false, flags = new Set(), plant, schedules, ...wishes }: Wishes,
  { assemblyDirectory, say = () => {}, progress = () => {} }: Surroundings = {},
): Promise<Outcome> => {
  const directory = await mkdtemp(join(tmpdir(), "integration-api-lab-"));
  let assembly = assemblyDirectory === undefined ? undefined : Promise.resolve(assemblyDirectory);
  try {
    return await run({
      seed: Date.now() % 1e9,
      seconds: isSmoke ? 0 : seconds,
      ...wishes,
      isSmoke,
      flags,
      plant,
      schedules,
      directory,
      say,
      progress,
      assembly: () => {
        assembly ??= synthesiseIn(join(directory, "assembly"));
        return assembly;
      },
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

const synthesiseIn = async (directory: string): Promise<string> => {
  const { synthesise } = await import("../../local/synthesise.ts");
  return synthesise(directory);
};
