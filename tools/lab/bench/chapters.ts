import { markdownTable, quantile } from "./figures.ts";
import { type Contender, runRounds, type Sample, type Surroundings } from "./measure.ts";
import { requestNames } from "./requests.ts";

type Reading = (sample: Sample) => number;

interface Chapter {
  title: string;
  plan: { rounds: number; warmUp: number; calls: number };
  /** The columns, of which the first is the one that the goal applies to. */
  columns: Readonly<Record<string, Reading>>;
}

const callsWhenWarm = 600;

export const chapters: readonly Chapter[] = [
  /** The first call in a new process, including loading the module. */
  {
    title: "Cold",
    plan: { rounds: 21, warmUp: 0, calls: 0 },
    columns: {
      "total, ms": ({ cold }) => cold.wallMicroseconds / 1000,
      "of which load, ms": ({ load }) => load.wallMicroseconds / 1000,
      "CPU, ms": ({ cold }) => cold.cpuMicroseconds / 1000,
      "bundle, KB": ({ kilobytes }) => kilobytes,
    },
  },
  /** One more call after some hundred calls, including the SDK and its connection. */
  {
    title: "Warm",
    plan: { rounds: 5, warmUp: 400, calls: callsWhenWarm },
    columns: {
      "CPU, µs": ({ warm }) => warm.cpuMicroseconds / callsWhenWarm,
      "wall, µs": ({ warm }) => warm.wallMicroseconds / callsWhenWarm,
      "peak RSS, MB": ({ peakMegabytes }) => peakMegabytes,
    },
  },
];

/** Formats the median, with the middle half of the readings. */
const textOf = (read: Reading, samples: readonly Sample[]): string => {
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) =>
    Number(quantile(samples.map(read), share).toPrecision(3)).toLocaleString("en-US"),
  );
  return low === high ? `${median}` : `${median} (${low}–${high})`;
};

/** The maximum ratio of this version's time to the released version's. Ratios of single runs differ by up to 0.04. */
const most = 1.1;

/** Measures the contenders with each request. Returns Markdown with ratios to the first one, and the goals that were missed. */
export const measureChapter = async (
  { title, plan, columns }: Chapter,
  contenders: readonly Contender[],
  surroundings: Surroundings,
): Promise<{ text: string; problems: string[] }> => {
  const [goal = () => Number.NaN] = Object.values(columns);
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
      const cells = Object.values(columns).map((read) => textOf(read, all));
      rows.push([`${request}: ${name}`, ...cells, ratio(all, readings[0]?.all).toFixed(2)]);
    }
    const released = readings.find(({ name }) => name.startsWith("Release"))?.all;
    const slowest = Math.max(
      ...readings.filter(({ name }) => name.startsWith("This")).map(({ all }) => ratio(all, released)),
    );
    if (slowest > most)
      problems.push(`${title}, ${request}: ${slowest.toFixed(2)} of the release, not at most ${most}`);
  }
  const table = markdownTable(["", ...Object.keys(columns), "ratio"], rows);
  return { text: `## ${title}\n\n${table}`, problems };
};
