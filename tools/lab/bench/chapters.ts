import { markdownTable, quantile } from "./figures.ts";
import { type Contender, runRounds, type Sample, type Surroundings } from "./measure.ts";
import { requestNames } from "./requests.ts";

type Reading = (sample: Sample, contender: Contender) => number;

interface Chapter {
  title: string;
  plan: { rounds: number; warmUp: number; calls: number };
  /** The reading that the ratios and the goal apply to. */
  goal: Reading;
  columns: Readonly<Record<string, Reading>>;
}

const callsWhenWarm = 600;

export const chapters: readonly Chapter[] = [
  /** The first call in a new process, including loading the module. */
  {
    title: "Cold",
    plan: { rounds: 21, warmUp: 0, calls: 0 },
    goal: ({ cold }) => cold.wallMicroseconds,
    columns: {
      "total, ms": ({ cold }) => cold.wallMicroseconds / 1000,
      "of which load, ms": ({ load }) => load.wallMicroseconds / 1000,
      "CPU, ms": ({ cold }) => cold.cpuMicroseconds / 1000,
      "bundle, KB": (_, { kilobytes }) => kilobytes,
    },
  },
  /** One more call after some hundred calls, including the SDK and its connection. */
  {
    title: "Warm",
    plan: { rounds: 5, warmUp: 400, calls: callsWhenWarm },
    goal: ({ warm }) => warm.cpuMicroseconds,
    columns: {
      "CPU, µs": ({ warm }) => warm.cpuMicroseconds / callsWhenWarm,
      "wall, µs": ({ warm }) => warm.wallMicroseconds / callsWhenWarm,
      "peak RSS, MB": ({ peakMegabytes }) => peakMegabytes,
    },
  },
];

/** Formats the median, with the middle half of the readings. */
const textOf = (readings: readonly number[]): string => {
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) =>
    Number(quantile(readings, share).toPrecision(3)).toLocaleString("en-US"),
  );
  return low === high ? `${median}` : `${median} (${low}–${high})`;
};

/** The maximum ratio of this version's time to the released version's. Ratios of single runs differ by up to 0.04. */
const most = 1.1;

/** Measures the contenders with each request. Returns Markdown with ratios to the first one, and the goals that were missed. */
export const measureChapter = async (
  { title, plan, goal, columns }: Chapter,
  contenders: readonly Contender[],
  surroundings: Surroundings,
): Promise<{ text: string; problems: string[] }> => {
  const rows: string[][] = [];
  const problems: string[] = [];
  for (const request of requestNames) {
    const measured = [...(await runRounds(contenders, { request, ...plan }, surroundings))];
    // In a round, the machine measured all contenders under the same conditions.
    const ratioTo = (other: string, contender: Contender, samples: readonly Sample[]): number => {
      const [, base = []] = measured.find(([{ name }]) => name.startsWith(other)) ?? [];
      return quantile(
        samples.map((sample, round) => goal(sample, contender) / goal(base[round] ?? sample, contender)),
        0.5,
      );
    };
    for (const [contender, samples] of measured) {
      const { name } = contender;
      const cells = Object.values(columns).map((read) => textOf(samples.map((sample) => read(sample, contender))));
      rows.push([`${request}: ${name}`, ...cells, ratioTo("Bare", contender, samples).toFixed(2)]);
      const toRelease = ratioTo("Release", contender, samples);
      if (name.startsWith("This") && toRelease > most)
        problems.push(
          `${title}, ${request}: ${name} takes ${toRelease.toFixed(2)} of the release, not at most ${most}`,
        );
    }
  }
  const table = markdownTable(["", ...Object.keys(columns), "ratio"], rows);
  return { text: `## ${title}\n\n${table}`, problems };
};
