import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { brotliCompressSync } from "node:zlib";
import { packageFolder } from "../infra/build/project-folder.ts";
import { documentationPath } from "../lambdas/addresses.ts";
import { operationsOf } from "../lambdas/declaration/operations.ts";
import { readTemplates } from "../local/synthesise.ts";
import type { Outcome, Trial } from "./lab/experiment.ts";
import { freePort } from "./support/free-port.ts";
import { writeManyEndpoints } from "./support/many-endpoints.ts";

/** What is promised for the largest service. */
const goals = { seconds: 10, megabytes: 1000 };

const quietMilliseconds = 10_000;

const columns = [
  ...["Endpoints", "`cdk synth`", "Start", "Memory", "First call", "Saved to new response"],
  ...["Documentation: page, script", "Alarms", "A month of alarms"],
];

/** Measures services with more and more endpoints, for the table in docs/scale.md. */
export const measureGrowth = async ({ directory, isSmoke, say, progress }: Trial): Promise<Outcome> => {
  if (isSmoke) {
    await writeManyEndpoints(10, directory);
    const { many } = await import(join(directory, "service.ts"));
    const { length } = operationsOf(many);
    return { problems: length === 10 ? [] : [`The service has ${length} endpoints.`] };
  }
  const problems: string[] = [];
  say(`| ${columns.join(" | ")} |`);
  for (const count of [10, 50, 200]) {
    progress(`${count} endpoints`);
    const folder = join(directory, `${count}`);
    await writeManyEndpoints(count, folder);
    const cdk = join(packageFolder, "node_modules/aws-cdk/bin/cdk");
    const synthSeconds = await secondsOf(() => ended(run(folder, [cdk, "synth", "--quiet"])));
    const alarms = await alarmsIn(join(folder, "cdk.out"));
    const { seconds, megabytes, firstCall, documentation } = await measureStart(folder);
    const { saved } = await measureStart(folder, { watches: true });
    const cells = [
      ...[count, `${synthSeconds.toFixed(1)} s`, `${seconds.toFixed(1)} s`, `${megabytes} MB`, `${firstCall} ms`],
      ...[`${saved} ms`, documentation, alarms.count, `$${(alarms.metrics * 0.1).toFixed(2)}`],
    ];
    say(`| ${cells.join(" | ")} |`);
    if (seconds > goals.seconds) problems.push(`${count} endpoints start in ${seconds.toFixed(1)} s.`);
    if (megabytes > goals.megabytes) problems.push(`${count} endpoints need ${megabytes} MB to start.`);
  }
  return { problems };
};

const run = (cwd: string, words: string[], variables: Record<string, string> = {}) =>
  spawn(process.execPath, words, {
    cwd,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, which can be ended together with what it has started.
    detached: true,
  });

const ended = async (child: ReturnType<typeof run>): Promise<void> => {
  child.stdout.resume();
  child.stderr.resume();
  const [exitCode] = await once(child, "close");
  if (exitCode !== 0) throw new Error(`${child.spawnargs.join(" ")} ended with ${exitCode}.`);
};

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
};

/** Starts the service, and measures it until it is ready. If it watches its files, it measures what saving one takes, too. */
const measureStart = async (folder: string, { watches = false } = {}) => {
  const port = await freePort();
  const settings = { PORT: `${port}`, DATA_DIR: join(folder, watches ? ".dev" : ".local") };
  const child = run(folder, [join(packageFolder, "local/start.mjs"), ...(watches ? ["--watch"] : [])], settings);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  let megabytes = 0;
  try {
    const seconds = await secondsOf(async () => {
      while (!output.includes("Stop: Ctrl-C")) {
        if (child.exitCode !== null) throw new Error(`The service did not start:\n${output}`);
        megabytes = Math.max(megabytes, await residentMegabytes(child.pid ?? 0));
        await wait(50);
      }
    });
    const [token = ""] = /itk_\w+/.exec(output) ?? [];
    const ask = (path: string, accept: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept, "x-token": token } });
    const call = () => ask("/api/v1/key2/unknown", "application/json").then(({ status }) => status);
    const firstCall = Math.round(1000 * (await secondsOf(call)));
    const page = await (await ask(documentationPath, "text/html")).text();
    const [script = ""] = /(?<=src=")[^"]+\.js/.exec(page) ?? [];
    const code = await (await ask(script, "*/*")).text();
    const documentation = [page, code].map((text) => `${Math.ceil(brotliCompressSync(text).length / 1000)} KB`);
    const saved = watches ? await measureSaving(folder, call) : 0;
    return { seconds, megabytes, firstCall, saved, documentation: documentation.join(", ") };
  } finally {
    if (child.exitCode === null) {
      process.kill(-(child.pid ?? process.pid), "SIGINT");
      await once(child, "close");
    }
  }
};

/** The milliseconds from saving an endpoint until it responds as it says now: the median of several times. */
const measureSaving = async (folder: string, call: () => Promise<number>): Promise<number> => {
  const file = join(folder, "lambdas/get-key2.ts");
  const text = await readFile(file, "utf8");
  const failing = text.replace("...getKey,", '...getKey, handler: async () => { throw new Error("saved"); },');
  const milliseconds: number[] = [];
  for (const [saved, status] of Array.from({ length: 5 }, (_, index) => (index % 2 ? [text, 404] : [failing, 500]))) {
    // The synthesis after the last change ends first.
    await wait(quietMilliseconds);
    const seconds = await secondsOf(async () => {
      await writeFile(file, `${saved}`);
      while ((await call()) !== status) await wait(5);
    });
    milliseconds.push(Math.round(1000 * seconds));
  }
  return milliseconds.toSorted((one, other) => one - other)[2] ?? 0;
};

/** The memory of a process and of those that it has started, from Linux's /proc. */
const residentMegabytes = async (parent: number): Promise<number> => {
  const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(processes.map((id) => readFile(`/proc/${id}/status`, "utf8").catch(() => "")));
  const read = (text: string, field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
  const all = texts.map((text) => ({ id: read(text, "Pid"), of: read(text, "PPid"), kilobytes: read(text, "VmRSS") }));
  const sum = (id: number): number =>
    all.reduce((total, one) => total + (one.id === id ? one.kilobytes : one.of === id ? sum(one.id) : 0), 0);
  return Math.round(sum(parent) / 1000);
};

/** The alarms in the templates of an assembly, and the metrics that they watch. */
const alarmsIn = async (assembly: string): Promise<{ count: number; metrics: number }> => {
  const text = (await readTemplates(assembly)).join();
  const occurrences = (part: string) => text.split(part).length - 1;
  const count = occurrences('"AWS::CloudWatch::Alarm"');
  const withFormula = occurrences('"Metrics": [');
  return { count, metrics: count - withFormula + occurrences('"MetricStat": {') };
};
