import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Outcome, Trial } from "../conduct.ts";
import { markdownTable, quantile, writeFigures } from "./figures.ts";

/** The goals, in seconds. How long npm takes depends on the network. */
const goals = { "npm ci": 60, "npm start, until ready": 3, "first call": 0.3, "save to response": 0.5, "cdk synth": 7 };

const project = fileURLToPath(new URL("../../..", import.meta.url));
/** The service takes four ports from here. Two benchmarks at the same time rarely have the same. */
const port = 20_000 + (process.pid % 2_000) * 4;

/** Measures what developers wait for, in a clone of the last commit. The smoke form does each thing once, without npm. */
export const measureLocal = async ({ directory, isSmoke, progress, say }: Trial): Promise<Outcome> => {
  const cwd = join(directory, "clone");
  const seconds: [name: string, seconds: number][] = [];
  const time = async <Result>(name: keyof typeof goals, work: () => Promise<Result>): Promise<Result> => {
    progress(name);
    const startedAt = performance.now();
    const result = await work();
    seconds.push([name, (performance.now() - startedAt) / 1000]);
    return result;
  };
  const run = (file: string, ...words: string[]) => promisify(execFile)(file, words, { cwd });

  execFileSync("git", ["clone", "--quiet", project, cwd]);
  if (isSmoke) symlinkSync(join(project, "node_modules"), join(cwd, "node_modules"));
  else await time("npm ci", () => run("npm", "ci", "--no-audit", "--no-fund"));
  const rounds = isSmoke ? 1 : 5;
  for (let round = 0; round < rounds; round += 1) {
    const { service, token } = await time("npm start, until ready", () => start(cwd, join(directory, `data${round}`)));
    await time("first call", () => callWith(token));
    await stop(service);
  }
  // It also watches the files.
  const { service, token } = await start(cwd, join(directory, "data"), "--watch");
  const file = join(cwd, "lambdas/v1/get-token.ts");
  const original = readFileSync(file, "utf8");
  for (let edit = 0; edit < rounds; edit += 1) {
    // Until the synthesis and the type check after the last edit, or after the start, are over.
    if (!isSmoke) await wait(20_000);
    await time("save to response", async () => {
      writeFileSync(file, original.replace("caller.ip", `"edit ${edit}"`));
      while (!(await callWith(token)).includes(`edit ${edit}`)) await wait(20);
    });
  }
  await stop(service);
  writeFileSync(file, original);
  const architecture = process.arch === "arm64" ? "arm64" : "x86_64";
  for (let round = 0; round < rounds; round += 1) {
    await time("cdk synth", () => run("npx", "cdk", "synth", "--quiet", "-c", `architecture=${architecture}`));
  }

  if (isSmoke) return { problems: [] };
  const rows = Object.entries(goals).map(([name, goal]) => {
    const all = seconds.flatMap(([each, one]) => (each === name ? [one] : []));
    return { name, goal, median: quantile(all, 0.5) };
  });
  const cells = rows.map(({ name, median, goal }) => [name, median.toFixed(2), `${goal}`]);
  const table = markdownTable(["", "s", "goal, s"], cells);
  say(table);
  writeFigures("local figures", table);
  const missed = rows.filter(({ median, goal }) => median > goal);
  return { problems: missed.map(({ name, median, goal }) => `${name}: ${median.toFixed(2)} s, not at most ${goal} s`) };
};

/** Starts the service, and waits until it is ready. */
const start = async (cwd: string, dataDirectory: string, ...words: string[]) => {
  // No others, because other variables may name another database.
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATA_DIR: dataDirectory, PORT: String(port) };
  const service = spawn(process.execPath, ["local/start.mjs", ...words], { cwd, env });
  service.stderr.pipe(process.stderr);
  let said = "";
  for await (const text of service.stdout.iterator({ destroyOnReturn: false })) {
    said += text;
    if (said.includes("Stop: Ctrl-C")) break;
  }
  service.stdout.resume();
  const [token] = /itk_\w{76,}/.exec(said) ?? [];
  if (token === undefined) throw new Error(`The service did not start: ${said}`);
  return { service, token };
};

const stop = async (service: ChildProcess): Promise<void> => {
  service.kill();
  await once(service, "close");
};

const callWith = async (token: string): Promise<string> => {
  const headers = { accept: "application/json", "x-token": token };
  return (await fetch(`http://127.0.0.1:${port}/api/v1/token`, { headers })).text();
};
