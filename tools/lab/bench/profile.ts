import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { basename, dirname, join } from "node:path";
import { sourceMapFile } from "../../../infra/bundles/assembly-files.ts";
import type { Outcome, Trial } from "../conduct.ts";
import { thisVersion } from "./contenders.ts";
import { startStub } from "./dynamodb-stub.ts";
import { markdownTable, quantile } from "./figures.ts";
import { runChild } from "./measure.ts";
import { requestNames } from "./requests.ts";

interface Frame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
}

/** The format of V8's CPU profiles. */
interface Profile {
  nodes: { id: number; callFrame: Frame; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

const loader = "cached.js";
const loading = "loading the function";
const rest = "Node.js, and collecting garbage";

/** What a call spends its time on, by module. The innermost module of a stack that is listed here counts. */
const groups: Readonly<Record<string, RegExp>> = {
  "HTTP and TLS": /^node:(_?http|_?tls|net|https|dns|internal\/(tls|net|dns|http|stream_base))|sdk-http-handler/,
  signing: /signature-v4|httpAuth|http-auth|http-signing|sha256/,
  serialising: /protocols|serde|plain-json-codec|schema/,
  "the rest of the SDK": /@aws-sdk|@smithy|@aws\//,
  "tables and records": /lambdas\/(dynamodb|domain)/,
  "the chain": /lambdas|middy|zod|negotiator|content-type/,
};

/**
 * Shows what the CPU time of a call is spent on, when the call is the first in a process and when it is one of many. The profiler slows
 * calls down, so the profiles give only the shares, and runs without it the times.
 */
export const profile = async ({ directory, isSmoke, say, progress }: Trial): Promise<Outcome> => {
  const built = join(directory, "built");
  const [contender] = await thisVersion(built);
  if (!contender) throw new Error("Nothing was built.");
  const plans = [
    { title: "cold, ms", rounds: 15, warmUp: 0, calls: 0, digits: 1 },
    { title: "warm, µs", rounds: 5, warmUp: 400, calls: 600, digits: 0 },
  ];
  const titles: string[] = [""];
  const rows = [loading, ...Object.keys(groups), rest].map((group) => [group]);
  const stub = await startStub(directory);
  try {
    for (const { title, rounds, digits, ...plan } of isSmoke ? plans.map((plan) => ({ ...plan, rounds: 1 })) : plans) {
      for (const request of requestNames) {
        const bundle = contender.files[request];
        const mapFile = sourceMapFile(join(built, "accepted"), basename(dirname(bundle)));
        const map = new SourceMap(JSON.parse(readFileSync(mapFile, "utf8")));
        const runs: Map<string, number>[] = [];
        for (let round = 0; round < rounds; round += 1) {
          progress(`${request} ${title} ${round}`);
          const folder = mkdtempSync(join(directory, "profile-"));
          const task = { bundle, request, ...plan };
          const { load, cold, warm } = await runChild(task, { ...stub, folder });
          const flags = ["--cpu-prof", "--cpu-prof-interval=100", `--cpu-prof-dir=${folder}`];
          await runChild(task, { ...stub, folder, flags });
          const shares = sharesIn(
            JSON.parse(readFileSync(globSync(join(folder, "*.cpuprofile"))[0] ?? "", "utf8")),
            map,
          );
          const isCold = plan.calls === 0;
          const time = isCold
            ? (cold.cpuMicroseconds - load.cpuMicroseconds) / 1_000
            : warm.cpuMicroseconds / plan.calls;
          const times = new Map([...shares].map(([group, share]) => [group, share * time]));
          runs.push(isCold ? times.set(loading, load.cpuMicroseconds / 1_000) : times);
        }
        titles.push(`${request.split(" ")[0]} ${title}`);
        for (const row of rows) {
          const times = runs.map((run) => run.get(row[0] ?? "") ?? 0);
          row.push(quantile(times, 0.5).toFixed(digits));
        }
      }
    }
  } finally {
    stub.stop();
  }
  if (!isSmoke) say(markdownTable(titles, rows));
  return { problems: [] };
};

/** Returns the share of each group in a profile. Leaves out loading the function, and time in which the process waits. */
const sharesIn = ({ nodes, samples, timeDeltas }: Profile, map: SourceMap): Map<string, number> => {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const moduleOf = ({ url, lineNumber, columnNumber }: Frame): string => {
    if (basename(url) !== "index.js") return url;
    return (map.findEntry(lineNumber, columnNumber) as { originalSource?: string }).originalSource ?? loader;
  };
  const modules = new Map(nodes.map(({ id, callFrame }) => [id, moduleOf(callFrame)]));
  const groupOf = (leaf: number): string => {
    const stack: string[] = [];
    for (let id: number | undefined = leaf; id !== undefined; id = parents.get(id)) stack.push(modules.get(id) ?? "");
    if (stack.some((module) => module.endsWith(loader))) return loading;
    return stack.flatMap((module) => Object.keys(groups).filter((name) => groups[name]?.test(module)))[0] ?? rest;
  };
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName } }) => [id, functionName === "(idle)" ? "" : groupOf(id)]),
  );
  const firstLoading = samples.findIndex((id) => names.get(id) === loading);
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? "";
    if (index < firstLoading || name === "" || name === loading) continue;
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return new Map([...times].map(([name, time]) => [name, time / total]));
};
