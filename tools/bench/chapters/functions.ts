import { stat } from "node:fs/promises";
import { type Contender, fileFor, floorName, oursName } from "../contenders.ts";
import type { RequestName } from "../measure/events.ts";
import { runRounds, type Samples } from "../measure/rounds.ts";
import type { Sample, Surroundings } from "../measure/run-child.ts";
import { type Figure, figureOf, ratioOf } from "../measure/statistics.ts";
import { type Chapter, digits, ratio, table, verdict } from "../report/table.ts";

/** A single figure of a sample. */
type Reading = (sample: Sample) => number;

const readings = (samples: Samples, name: string, reading: Reading): number[] => (samples.get(name) ?? []).map(reading);
const ratioToFloor = (samples: Samples, name: string, reading: Reading): number =>
  ratioOf(readings(samples, name, reading), readings(samples, floorName, reading));
const ratiosToFloor = (samples: Samples, reading: Reading): Map<string, number> =>
  new Map([...samples.keys()].map((name) => [name, ratioToFloor(samples, name, reading)]));
const spread = ({ median, low, high }: Figure): string => `${digits(median)} (${digits(low)}–${digits(high)})`;

const coldWall: Reading = ({ cold }) => cold.wallMicroseconds / 1000;
const coldCpu: Reading = ({ cold }) => cold.cpuMicroseconds / 1000;

/** A new process: loading the module and the first call. */
export const coldStarts = async (contenders: Contender[], surroundings: Surroundings): Promise<Chapter> => {
  const texts: string[] = [];
  const bars: Chapter["bars"] = [];
  for (const request of ["GET 200", "POST 201"] as const) {
    const samples = await runRounds(contenders, { request, rounds: 21 }, surroundings);
    const rows = contenders.map(async (contender) => {
      const { name } = contender;
      const { size } = await stat(fileFor(contender, request));
      const of = (reading: Reading) => figureOf(readings(samples, name, reading));
      return [
        name,
        digits(size / 1000),
        digits(of(({ load }) => load.wallMicroseconds / 1000).median),
        spread(of(coldWall)),
        ratio(ratioToFloor(samples, name, coldWall)),
        spread(of(coldCpu)),
        ratio(ratioToFloor(samples, name, coldCpu)),
        digits(of(({ coldMegabytes }) => coldMegabytes).median),
      ];
    });
    const columns = ["", "bundle, KB", "load, ms", "total, ms", "ratio", "CPU, ms", "ratio", "peak RSS, MB"];
    texts.push(`### ${request}\n\n${table(columns, await Promise.all(rows))}`);
    const ratios = ratiosToFloor(samples, coldWall);
    if (request === "GET 200") texts.push(coldGoal(ratios));
    bars.push({ title: `Cold, ${request}: wall time of load and first call`, ratios });
  }
  return { name: "cold", text: `## Cold\n\n${texts.join("\n\n")}`, bars };
};

const coldGoal = (ratios: Map<string, number>): string => {
  const ours = ratios.get(oursName) ?? Number.NaN;
  const peers = [...ratios].filter(([name]) => name !== oursName && name !== floorName).map(([, value]) => value);
  return (
    `Goal: at most 0.70 of the floor: ${ratio(ours)}, ${verdict(ours <= 0.7)}. ` +
    `Every peer at 1.05 or more: ${peers.map(ratio).join(", ")}, ${verdict(Math.min(...peers) >= 1.05)}.`
  );
};

const callsWhenWarm = 600;

/** The cost of one more call after some hundred calls, including the SDK and its connection. */
export const warmCalls = async (contenders: Contender[], surroundings: Surroundings): Promise<Chapter> => {
  const cpu: Reading = ({ warm }) => warm.cpuMicroseconds / callsWhenWarm;
  const wall: Reading = ({ warm }) => warm.wallMicroseconds / callsWhenWarm;
  const texts: string[] = [];
  const bars: Chapter["bars"] = [];
  for (const request of ["GET 200", "POST 201"] as const) {
    const plan = { request, rounds: 5, warmUp: 400, calls: callsWhenWarm };
    const samples = await runRounds(contenders, plan, surroundings);
    const rows = contenders.map(({ name }) => {
      const of = (reading: Reading) => figureOf(readings(samples, name, reading));
      return [
        name,
        spread(of(cpu)),
        ratio(ratioToFloor(samples, name, cpu)),
        spread(of(wall)),
        ratio(ratioToFloor(samples, name, wall)),
        digits(of(({ peakMegabytes }) => peakMegabytes).median),
      ];
    });
    texts.push(`### ${request}\n\n${table(["", "CPU, µs", "ratio", "wall, µs", "ratio", "peak RSS, MB"], rows)}`);
    const ours = ratioToFloor(samples, oursName, cpu);
    texts.push(`Goal: at most 0.75 of the floor's CPU: ${ratio(ours)}, ${verdict(ours <= 0.75)}.`);
    bars.push({ title: `Warm, ${request}: CPU of a call`, ratios: ratiosToFloor(samples, cpu) });
  }
  return { name: "warm", text: `## Warm, the SDK included\n\n${texts.join("\n\n")}`, bars };
};

const listCalls = 20;

/** All 10,000 keys in one response, to a client that names no limit. */
export const wholeList = async (contenders: Contender[], surroundings: Surroundings): Promise<Chapter> => {
  const request = "GET 200, all 10,000";
  const cpu: Reading = ({ warm }) => warm.cpuMicroseconds / listCalls / 1000;
  const samples = await runRounds(contenders, { request, rounds: 5, warmUp: 10, calls: listCalls }, surroundings);
  const rows = contenders.map(({ name }) => {
    const of = (reading: Reading) => figureOf(readings(samples, name, reading));
    const memory = digits(of(({ peakMegabytes }) => peakMegabytes).median);
    return [name, spread(of(cpu)), ratio(ratioToFloor(samples, name, cpu)), memory];
  });
  const others = contenders.filter(({ name }) => name !== oursName);
  const ours = readings(samples, oursName, cpu);
  const share = Math.max(...others.map(({ name }) => ratioOf(ours, readings(samples, name, cpu))));
  const goal = `Goal: at most 1.2 of the cheapest: ${ratio(share)}, ${verdict(share <= 1.2)}.`;
  return {
    name: "list",
    text: `## A list of 10,000\n\n${table(["", "CPU, ms", "ratio", "peak RSS, MB"], rows)}\n\n${goal}`,
  };
};

const chainCalls = 10_000;
const chainRequests = ["GET 200", "POST 201", "GET 302", "GET 401", "POST 422"] as const satisfies RequestName[];

/** The framework alone: the stores respond from memory. */
export const chains = async (contenders: Contender[], surroundings: Surroundings): Promise<Chapter> => {
  const cpu: Reading = ({ warm }) => warm.cpuMicroseconds / chainCalls;
  const above = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  const floor: string[] = [];
  for (const request of chainRequests) {
    // The goals are about the first figure. V8 continues to compile for some ten thousand calls, in threads whose time counts.
    const plan = { request, rounds: request === "GET 200" ? 7 : 2, warmUp: 25_000, calls: chainCalls };
    const samples = await runRounds(contenders, plan, surroundings);
    const bare = readings(samples, floorName, cpu);
    floor.push(digits(figureOf(bare).median));
    for (const { name } of contenders) {
      const differences = readings(samples, name, cpu).map((value, round) => value - (bare[round] ?? Number.NaN));
      above.get(name)?.push(figureOf(differences).median);
    }
  }
  const rows = [...above].map(([name, values]) => [
    name,
    ...(name === floorName ? floor : values.map((value) => (value < 0 ? digits(value) : `+${digits(value)}`))),
  ]);
  const [ours = Number.NaN] = above.get(oursName) ?? [];
  const peers = [...above].filter(([name]) => name !== oursName && name !== floorName).map(([, [value = 0]]) => value);
  const cheapest = Math.min(...peers);
  const goal =
    `Goals, for GET 200: at most 12 µs above the bare handler: ${digits(ours)}, ${verdict(ours <= 12)}; ` +
    `at most 0.3 of the cheapest peer: ${ratio(ours / cheapest)}, ${verdict(ours / cheapest <= 0.3)}.`;
  const text = `## The chain alone\n\nCPU µs of a call of the bare handler, and what each adds to it.\n\n${table(["", ...chainRequests], rows)}\n\n${goal}`;
  return { name: "chain", text };
};

/** How long a call waits if every call to the database takes 3 ms. */
export const databaseDelays = async (contenders: Contender[], surroundings: Surroundings): Promise<Chapter> => {
  const calls = 100;
  const wall: Reading = ({ warm }) => warm.wallMicroseconds / calls / 1000;
  const compared = contenders.filter(({ name }) => name === floorName || name === oursName);
  const columns: Map<string, string[]> = new Map(compared.map(({ name }) => [name, []]));
  for (const request of ["GET 200", "POST 201"] as const) {
    const samples = await runRounds(compared, { request, rounds: 3, warmUp: 50, calls }, surroundings);
    for (const { name } of compared) columns.get(name)?.push(spread(figureOf(readings(samples, name, wall))));
  }
  const rows = [...columns].map(([name, values]) => [name, ...values]);
  const text = `## Round trips\n\nWall time of a call, ms, with a database that takes 3 ms for each.\n\n${table(["", "GET 200", "POST 201"], rows)}`;
  return { name: "delay", text };
};
