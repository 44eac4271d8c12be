import { markdownTable } from "../support/markdown.ts";
import { type Contender, floorName, oursName } from "./contenders.ts";
import type { Stub } from "./dynamodb-stub.ts";
import { quantile, runRounds, type Sample, type Samples } from "./measure.ts";
import type { RequestName } from "./requests.ts";

/** A part of the report. */
export interface Chapter {
  /** Markdown: a heading, tables, and the goals with their outcome. */
  text: string;
  /** The goals that were missed. */
  problems: string[];
}

export interface Contest {
  /** With their stores, and with stores that respond from memory. */
  contenders: readonly Contender[];
  chains: readonly Contender[];
  folder: string;
  stub: Stub;
  slowStub: Stub;
}

type Reading = (sample: Sample) => number;
/** A column of a table: a text for each contender. */
type Column = (samples: Samples, contender: Contender) => string;

/** About three significant digits. */
const digits = (value: number): string => {
  const fraction = Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString("en-US", { minimumFractionDigits: fraction, maximumFractionDigits: fraction });
};

const readings = (samples: Samples, name: string, of: Reading): number[] => (samples.get(name) ?? []).map(of);

/** The median of the ratios within each round, in which the machine measured both under the same conditions. */
const ratioToFloor = (samples: Samples, name: string, of: Reading): number => {
  const floor = readings(samples, floorName, of);
  const ratios = readings(samples, name, of).map((value, round) => value / (floor[round] ?? Number.NaN));
  return quantile(ratios, 0.5);
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

const ratioOf =
  (of: Reading): Column =>
  (samples, { name }) =>
    ratioToFloor(samples, name, of).toFixed(2);

const coldWall: Reading = ({ cold }) => cold.wallMicroseconds / 1000;
const coldCpu: Reading = ({ cold }) => cold.cpuMicroseconds / 1000;
const warmCpu: Reading = ({ warm }) => warm.cpuMicroseconds;
const warmWall: Reading = ({ warm }) => warm.wallMicroseconds;

interface Comparison {
  title: string;
  plan: { rounds: number; warmUp: number; calls: number };
  columns: [title: string, column: Column][];
  /** What counts, as a ratio to the floor, and how much of it each request may take. */
  goal?: { of: Reading; most: Partial<Record<RequestName, number>> };
}

/** Compares the contenders for two requests. */
const compare = async (
  { title, plan, columns, goal }: Comparison,
  { contenders, folder, stub }: Pick<Contest, "contenders" | "folder" | "stub">,
): Promise<Chapter> => {
  const chapter: Chapter = { text: `## ${title}`, problems: [] };
  for (const request of ["GET 200", "POST 201"] as const) {
    const samples = await runRounds(contenders, { request, ...plan }, { folder, ...stub });
    const rows = contenders.map((contender) => [
      contender.name,
      ...columns.map(([, column]) => column(samples, contender)),
    ]);
    chapter.text += `\n\n### ${request}\n\n${markdownTable(["", ...columns.map(([name]) => name)], rows)}`;
    if (!goal) continue;
    const most = goal.most[request] ?? 1;
    const ours = ratioToFloor(samples, oursName, goal.of);
    chapter.text += `\n\nGoal: at most ${most.toFixed(2)} of the floor: ${ours.toFixed(2)}, ${ours <= most ? "met" : "**missed**"}.`;
    if (ours > most)
      chapter.problems.push(`${title}, ${request}: ${ours.toFixed(2)} of the floor, not ${most.toFixed(2)}`);
  }
  return chapter;
};

/** A new process: loading the module and the first call. */
const cold = (contest: Contest): Promise<Chapter> =>
  compare(
    {
      title: "Cold",
      plan: { rounds: 21, warmUp: 0, calls: 0 },
      columns: [
        ["bundle, KB", (_, { kilobytes }) => digits(kilobytes)],
        ["load, ms", medianOf(({ load }) => load.wallMicroseconds / 1000)],
        ["total, ms", spreadOf(coldWall)],
        ["ratio", ratioOf(coldWall)],
        ["CPU, ms", spreadOf(coldCpu)],
        ["ratio", ratioOf(coldCpu)],
        ["peak RSS, MB", medianOf(({ coldMegabytes }) => coldMegabytes)],
      ],
      goal: { of: coldWall, most: { "GET 200": 0.7, "POST 201": 0.72 } },
    },
    contest,
  );

const callsWhenWarm = 600;

/** One more call after some hundred calls, including the SDK and its connection. */
const warm = (contest: Contest): Promise<Chapter> =>
  compare(
    {
      title: "Warm",
      plan: { rounds: 5, warmUp: 400, calls: callsWhenWarm },
      columns: [
        ["CPU, µs", spreadOf((sample) => warmCpu(sample) / callsWhenWarm)],
        ["ratio", ratioOf(warmCpu)],
        ["wall, µs", spreadOf((sample) => warmWall(sample) / callsWhenWarm)],
        ["ratio", ratioOf(warmWall)],
        ["peak RSS, MB", medianOf(({ peakMegabytes }) => peakMegabytes)],
      ],
      goal: { of: warmCpu, most: { "GET 200": 0.6, "POST 201": 0.75 } },
    },
    contest,
  );

const delayedCalls = 100;

/** How long a call waits if every call to the database takes 3 ms. */
const delay = ({ contenders, folder, slowStub }: Contest): Promise<Chapter> =>
  compare(
    {
      title: "Round trips to a database that takes 3 ms",
      plan: { rounds: 3, warmUp: 50, calls: delayedCalls },
      columns: [["wall, ms", spreadOf((sample) => warmWall(sample) / delayedCalls / 1000)]],
    },
    { contenders: contenders.filter(({ name }) => name === floorName || name === oursName), folder, stub: slowStub },
  );

const chainCalls = 10_000;
/** The most that the service may add to the bare handler, in microseconds of CPU. */
const mostAdded = 12;

/** The framework alone: the stores respond from memory. */
const chain = async ({ chains, folder, stub }: Contest): Promise<Chapter> => {
  const added = new Map<string, string[]>(chains.map(({ name }) => [name, []]));
  const requests = ["GET 200", "POST 201", "GET 302", "GET 401", "POST 422"] as const;
  let ours = Number.NaN;
  for (const request of requests) {
    // The goal is about the first figure. V8 continues to compile for some ten thousand calls, in threads whose time counts.
    const plan = { request, rounds: request === "GET 200" ? 7 : 2, warmUp: 25_000, calls: chainCalls };
    const samples = await runRounds(chains, plan, { folder, ...stub });
    const cpuOf = (name: string) => readings(samples, name, (sample) => warmCpu(sample) / chainCalls);
    const floor = cpuOf(floorName);
    for (const { name } of chains) {
      const difference = quantile(
        cpuOf(name).map((value, round) => value - (floor[round] ?? Number.NaN)),
        0.5,
      );
      if (name === oursName && request === "GET 200") ours = difference;
      const text =
        name === floorName ? digits(quantile(floor, 0.5)) : `${difference < 0 ? "" : "+"}${digits(difference)}`;
      added.get(name)?.push(text);
    }
  }
  const rows = [...added].map(([name, texts]) => [name, ...texts]);
  const goal = `Goal, for GET 200: at most ${mostAdded} µs above the bare handler: ${digits(ours)}, ${ours <= mostAdded ? "met" : "**missed**"}.`;
  return {
    text: `## The chain alone\n\nCPU µs of a call of the bare handler, and what each adds to it.\n\n${markdownTable(["", ...requests], rows)}\n\n${goal}`,
    problems: ours <= mostAdded ? [] : [`The chain adds ${digits(ours)} µs to the bare handler, not ${mostAdded}`],
  };
};

export const chapters: Readonly<Record<string, (contest: Contest) => Promise<Chapter>>> = { cold, warm, chain, delay };
