/** What an experiment gets: the words of the command line, and where it works and reports. */
export interface Trial {
  /** Where its random choices begin. */
  seed: number;
  /** How long it lasts. The smoke form has 0 unless more is asked for: it ends as soon as everything has been tried once. */
  seconds: number;
  /** Whether it is the short form that `npm test` runs. */
  isSmoke: boolean;
  /** The bug to plant. */
  plant: string | undefined;
  /** The parts to run. */
  parts: readonly string[];
  /** Whether an option was given. */
  has: (option: string) => boolean;
  /** The value of an option. */
  numberOf: (option: string) => number | undefined;
  /** A folder that is removed afterwards. */
  directory: string;
  /** The folder of the cloud assembly, which is synthesised first if necessary. */
  assembly: () => Promise<string>;
  /** Prints a line. */
  say: (line: string) => void;
  /** Replaces the line that shows how far the experiment is. */
  progress: (text: string) => void;
}

export interface Outcome {
  /** Everything that went wrong. The command fails if there is anything. */
  problems: readonly string[];
  /** What was counted or measured. */
  figures?: Readonly<Record<string, number | string>>;
}

export interface Experiment {
  summary: string;
  /** Whether `--seed` repeats its random choices. */
  isSeeded?: boolean;
  /** How long it lasts unless `--seconds` says otherwise. Without this, it ends by itself. */
  seconds?: number;
  /** What can be chosen by words after the name. All of them are run if none is named. */
  parts?: readonly string[];
  /** Its own options by name, without the dashes. */
  options?: Readonly<Record<string, { summary: string; takes?: "N" }>>;
  /** The bugs that `--plant` can add to the service, to see that the experiment finds them. */
  plants?: () => Promise<readonly string[]>;
  /** The planted bugs that the smoke form finds, and what it then reports. */
  smokePlants?: Readonly<Record<string, RegExp>>;
  run: (trial: Trial) => Promise<Outcome>;
}
