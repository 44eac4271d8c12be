/** The input of an experiment: the words of the command line, and where it works and reports. */
export interface Trial {
  /** The seed of the random choices. */
  seed: number;
  /**
   * The duration. In the smoke form, it is 0 unless the user asks for more: the experiment ends once everything has been tried
   * once.
   */
  seconds: number;
  /** Whether this is the short form that `npm test` runs. */
  isSmoke: boolean;
  /** The bug to plant. */
  plant: string | undefined;
  /** The parts to run. */
  parts: readonly string[];
  /** Returns whether an option was given. */
  has: (option: string) => boolean;
  /** Returns the value of an option. */
  numberOf: (option: string) => number | undefined;
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

export interface Experiment {
  summary: string;
  /** Whether `--seed` repeats its random choices. */
  isSeeded?: boolean;
  /** The duration unless `--seconds` says otherwise. An experiment without this property ends by itself. */
  seconds?: number;
  /** The parts that can be selected by words after the name. Default: all parts. */
  parts?: readonly string[];
  /** Additional options by name, without the dashes. */
  options?: Readonly<Record<string, { summary: string; takes?: "N" }>>;
  /** Returns the bugs that `--plant` can add to the service, to check that the experiment finds them. */
  plants?: () => Promise<readonly string[]>;
  /** The planted bugs that the smoke form finds, with the expected report. */
  smokePlants?: Readonly<Record<string, RegExp>>;
  run: (trial: Trial) => Promise<Outcome>;
}
