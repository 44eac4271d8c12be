import { markdownTable, quantile } from "./figures.ts";
import { type Contender, runRounds, type Sample, type Surroundings } from "./measure.ts";
import { requestNames } from "./requests.ts";

type Reading = (sample: Sample) => number;

interface Column {
  title: string;
  of: Reading;
  /** Whether to show the middle half of the readings too. */
  hasSpread?: boolean;
}

interface Chapter {
  title: string;
  plan: { rounds: number; warmUp: number; calls: number };
  columns: Column[];
  /** The reading that the goal applies to. */
  goal: Reading;
}

const coldWall: Reading = ({ cold }) => cold.wallMicroseconds / 1000;
const callsWhenWarm = 600;
const warmCpu: Reading = ({ warm }) => warm.cpuMicroseconds / callsWhenWarm;

export const chapters: readonly Chapter[] = [
  /** The first call in a new process, including loading the module. */
  {
    title: "Cold",
    plan: { rounds: 21, warmUp: 0, calls: 0 },
    columns: [
      { title: "bundle, KB", of: ({ kilobytes }) => kilobytes },
      { title: "load, ms", of: ({ load }) => load.wallMicroseconds / 1000 },
      { title: "total, ms", of: coldWall, hasSpread: true },
      { title: "CPU, ms", of: ({ cold }) => cold.cpuMicroseconds / 1000, hasSpread: true },
    ],
    goal: coldWall,
  },
  /** One more call after some hundred calls, including the SDK and its connection. */
  {
    title: "Warm",
    plan: { rounds: 5, warmUp: 400, calls: callsWhenWarm },
    columns: [
      { title: "CPU, µs", of: warmCpu, hasSpread: true },
      { title: "wall, µs", of: ({ warm }) => warm.wallMicroseconds / callsWhenWarm, hasSpread: true },
      { title: "peak RSS, MB", of: ({ peakMegabytes }) => peakMegabytes },
    ],
    goal: warmCpu,
  },
];

/** Rounds to about three significant digits. */
const digits = (value: number): string => {
  const fraction = Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString("en-US", { minimumFractionDigits: fraction, maximumFractionDigits: fraction });
};

const textOf = ({ of, hasSpread = false }: Column, samples: readonly Sample[]): string => {
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => digits(quantile(samples.map(of), share)));
  return hasSpread ? `${median} (${low}–${high})` : String(median);
};

/** The maximum ratio of this version's time to the released version's. Ratios of single runs differ by up to 0.04. */
const most = 1.1;

/** Measures the contenders with each request. Returns Markdown with ratios to the first one, and the goals that were missed. */
export const measureChapter = async (
  { title, plan, columns, goal }: Chapter,
  contenders: readonly Contender[],
  surroundings: Surroundings,
): Promise<{ text: string; problems: string[] }> => {
  const rows: string[][] = [];
  const problems: string[] = [];
  for (const request of requestNames) {
    const samples = await runRounds(contenders, { request, ...plan }, surroundings);
    const readings = contenders.map(({ name }) => ({ name, all: samples.get(name) ?? [] }));
    // In a round, the machine measured all contenders under the same conditions.
    const ratio = (one: readonly Sample[], to: readonly Sample[] = []): number =>
      quantile(
        one.map((sample, round) => goal(sample) / goal(to[round] ?? sample)),
        0.5,
      );
    for (const { name, all } of readings) {
      const cells = columns.map((column) => textOf(column, all));
      rows.push([`${request}: ${name}`, ...cells, ratio(all, readings[0]?.all).toFixed(2)]);
    }
    const released = readings.find(({ name }) => name.startsWith("Release"))?.all;
    const slowest = Math.max(
      ...readings.filter(({ name }) => name.startsWith("This")).map(({ all }) => ratio(all, released)),
    );
    if (slowest > most)
      problems.push(`${title}, ${request}: ${slowest.toFixed(2)} of the release, not at most ${most}`);
  }
  const table = markdownTable(["", ...columns.map((column) => column.title), "ratio"], rows);
  return { text: `## ${title}\n\n${table}`, problems };
};
