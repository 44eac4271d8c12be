import { markdownTable } from "../../support/markdown.ts";
import { type Contender, quantile, runRounds, type Sample, type Samples, type Surroundings } from "./measure.ts";
import { requestNames } from "./requests.ts";

type Reading = (sample: Sample) => number;
/** The released version, and this version. */
type Contenders = readonly [Contender, Contender];
/** A column of a table, with a text for each contender. */
type Column = (samples: Samples, contender: Contender) => string;

/** Rounds to about three significant digits. */
const digits = (value: number): string => {
  const fraction = Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString("en-US", { minimumFractionDigits: fraction, maximumFractionDigits: fraction });
};

const readings = (samples: Samples, { name }: Contender, of: Reading): number[] => (samples.get(name) ?? []).map(of);

/** Returns the median of the ratios within each round, because in a round the machine measured both under the same conditions. */
const ratioOf = (samples: Samples, [released, present]: Contenders, of: Reading): number => {
  const before = readings(samples, released, of);
  const ratios = readings(samples, present, of).map((value, round) => value / (before[round] ?? Number.NaN));
  return quantile(ratios, 0.5);
};

const medianOf =
  (of: Reading): Column =>
  (samples, contender) =>
    digits(quantile(readings(samples, contender, of), 0.5));

const spreadOf =
  (of: Reading): Column =>
  (samples, contender) => {
    const all = readings(samples, contender, of);
    const [low, median, high] = [0.25, 0.5, 0.75].map((share) => digits(quantile(all, share)));
    return `${median} (${low}–${high})`;
  };

const coldWall: Reading = ({ cold }) => cold.wallMicroseconds / 1000;
const coldCpu: Reading = ({ cold }) => cold.cpuMicroseconds / 1000;
const callsWhenWarm = 600;
const warmCpu: Reading = ({ warm }) => warm.cpuMicroseconds / callsWhenWarm;
const warmWall: Reading = ({ warm }) => warm.wallMicroseconds / callsWhenWarm;

/** The maximum ratio of this version's time to the released version's. Ratios of single runs differ by up to 0.04. */
const most = 1.1;

interface Chapter {
  title: string;
  plan: { rounds: number; warmUp: number; calls: number };
  columns: [title: string, column: Column][];
  /** The reading that the goal applies to. */
  goal: Reading;
}

export const chapters: readonly Chapter[] = [
  /** The first call in a new process, including loading the module. */
  {
    title: "Cold",
    plan: { rounds: 21, warmUp: 0, calls: 0 },
    columns: [
      ["bundle, KB", (_, { kilobytes }) => digits(kilobytes)],
      ["load, ms", medianOf(({ load }) => load.wallMicroseconds / 1000)],
      ["total, ms", spreadOf(coldWall)],
      ["CPU, ms", spreadOf(coldCpu)],
      ["peak RSS, MB", medianOf(({ coldMegabytes }) => coldMegabytes)],
    ],
    goal: coldWall,
  },
  /** One more call after some hundred calls, including the SDK and its connection. */
  {
    title: "Warm",
    plan: { rounds: 5, warmUp: 400, calls: callsWhenWarm },
    columns: [
      ["CPU, µs", spreadOf(warmCpu)],
      ["wall, µs", spreadOf(warmWall)],
      ["peak RSS, MB", medianOf(({ peakMegabytes }) => peakMegabytes)],
    ],
    goal: warmCpu,
  },
];

/** Measures the contenders with each request. Returns Markdown, and the goals that were missed. */
export const measureChapter = async (
  { title, plan, columns, goal }: Chapter,
  contenders: Contenders,
  surroundings: Surroundings,
): Promise<{ text: string; problems: string[] }> => {
  const rows: string[][] = [];
  const problems: string[] = [];
  for (const request of requestNames) {
    const samples = await runRounds(contenders, { request, ...plan }, surroundings);
    const ratio = ratioOf(samples, contenders, goal);
    for (const contender of contenders) {
      const ofRelease = contender === contenders[0] ? "1.00" : ratio.toFixed(2);
      rows.push([
        `${request}: ${contender.name}`,
        ...columns.map(([, column]) => column(samples, contender)),
        ofRelease,
      ]);
    }
    if (ratio > most) problems.push(`${title}, ${request}: ${ratio.toFixed(2)} of the release, not at most ${most}`);
  }
  const table = markdownTable(["", ...columns.map(([name]) => name), "ratio"], rows);
  return { text: `## ${title}\n\n${table}`, problems };
};
