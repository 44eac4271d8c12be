import { markdownTable } from "../support/markdown.ts";
import { type Contender, floorName, oursName } from "./contenders.ts";
import { quantile, runRounds, type Sample, type Samples, type Surroundings } from "./measure.ts";

type Reading = (sample: Sample) => number;
/** A column of a table: a text for each contender. */
type Column = (samples: Samples, contender: Contender) => string;

/** About three significant digits. */
const digits = (value: number): string => {
  const fraction = Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString("en-US", { minimumFractionDigits: fraction, maximumFractionDigits: fraction });
};

const readings = (samples: Samples, name: string, of: Reading): number[] => (samples.get(name) ?? []).map(of);

/** The median of the comparisons within each round, in which the machine measured both under the same conditions. */
const comparedWithFloor = (
  samples: Samples,
  name: string,
  { of, compare }: { of: Reading; compare: (value: number, floor: number) => number },
): number => {
  const floor = readings(samples, floorName, of);
  const compared = readings(samples, name, of).map((value, round) => compare(value, floor[round] ?? Number.NaN));
  return quantile(compared, 0.5);
};

const medianOf =
  (of: Reading): Column =>
  (samples, { name }) =>
    digits(quantile(readings(samples, name, of), 0.5));

const spreadOf =
  (of: Reading): Column =>
  (samples, { name }) => {
    const [low, median, high] = [0.25, 0.5, 0.75].map((share) => digits(quantile(readings(samples, name, of), share)));
    return `${median} (${low}–${high})`;
  };

const ratioOf = (of: Reading) => ({ of, compare: (value: number, floor: number) => value / floor });
const ratioColumn =
  (of: Reading): Column =>
  (samples, { name }) =>
    comparedWithFloor(samples, name, ratioOf(of)).toFixed(2);

const coldWall: Reading = ({ cold }) => cold.wallMicroseconds / 1000;
const coldCpu: Reading = ({ cold }) => cold.cpuMicroseconds / 1000;
const callsWhenWarm = 600;
const warmCpu: Reading = ({ warm }) => warm.cpuMicroseconds / callsWhenWarm;
const warmWall: Reading = ({ warm }) => warm.wallMicroseconds / callsWhenWarm;
const callsOfChain = 10_000;
const chainCpu: Reading = ({ warm }) => warm.cpuMicroseconds / callsOfChain;
const added = { of: chainCpu, compare: (value: number, floor: number) => value - floor };

interface Chapter {
  title: string;
  /** Whether the stores respond from memory. */
  isChain?: boolean;
  plan: { rounds: number; warmUp: number; calls: number };
  columns: [title: string, column: Column][];
  /** What counts, compared with the floor, and how much of it each request may take. */
  goal: Parameters<typeof comparedWithFloor>[2] & { unit: string; most: Record<"GET 200" | "POST 201", number> };
}

export const chapters: Readonly<Record<string, Chapter>> = {
  /** A new process: loading the module and the first call. */
  cold: {
    title: "Cold",
    plan: { rounds: 21, warmUp: 0, calls: 0 },
    columns: [
      ["bundle, KB", (_, { kilobytes }) => digits(kilobytes)],
      ["load, ms", medianOf(({ load }) => load.wallMicroseconds / 1000)],
      ["total, ms", spreadOf(coldWall)],
      ["ratio", ratioColumn(coldWall)],
      ["CPU, ms", spreadOf(coldCpu)],
      ["ratio", ratioColumn(coldCpu)],
      ["peak RSS, MB", medianOf(({ coldMegabytes }) => coldMegabytes)],
    ],
    goal: { ...ratioOf(coldWall), unit: "of the floor", most: { "GET 200": 0.7, "POST 201": 0.72 } },
  },
  /** One more call after some hundred calls, including the SDK and its connection. */
  warm: {
    title: "Warm",
    plan: { rounds: 5, warmUp: 400, calls: callsWhenWarm },
    columns: [
      ["CPU, µs", spreadOf(warmCpu)],
      ["ratio", ratioColumn(warmCpu)],
      ["wall, µs", spreadOf(warmWall)],
      ["ratio", ratioColumn(warmWall)],
      ["peak RSS, MB", medianOf(({ peakMegabytes }) => peakMegabytes)],
    ],
    goal: { ...ratioOf(warmCpu), unit: "of the floor", most: { "GET 200": 0.6, "POST 201": 0.75 } },
  },
  /** The framework alone. V8 continues to compile for some ten thousand calls, in threads whose time counts. */
  chain: {
    title: "The chain alone",
    isChain: true,
    plan: { rounds: 7, warmUp: 25_000, calls: callsOfChain },
    columns: [
      ["CPU, µs", spreadOf(chainCpu)],
      ["added, µs", (samples, { name }) => digits(comparedWithFloor(samples, name, added))],
    ],
    goal: { ...added, unit: "µs above the floor", most: { "GET 200": 12, "POST 201": 12 } },
  },
};

/** Measures the contenders with two requests. Returns Markdown, and the goals that were missed. */
export const measureChapter = async (
  { title, plan, columns, goal }: Chapter,
  contenders: readonly Contender[],
  surroundings: Surroundings,
): Promise<{ text: string; problems: string[] }> => {
  const parts = [`## ${title}`];
  const problems: string[] = [];
  for (const request of ["GET 200", "POST 201"] as const) {
    const samples = await runRounds(contenders, { request, ...plan }, surroundings);
    const rows = contenders.map((contender) => [
      contender.name,
      ...columns.map(([, column]) => column(samples, contender)),
    ]);
    const most = goal.most[request];
    const ours = comparedWithFloor(samples, oursName, goal);
    const outcome = `at most ${most} ${goal.unit}: ${ours.toFixed(2)}`;
    parts.push(`### ${request}`, markdownTable(["", ...columns.map(([name]) => name)], rows));
    parts.push(`Goal: ${outcome}, ${ours <= most ? "met" : "**missed**"}.`);
    if (ours > most) problems.push(`${title}, ${request}: ${outcome}`);
  }
  return { text: parts.join("\n\n"), problems };
};
