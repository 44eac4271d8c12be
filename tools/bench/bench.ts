import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Outcome, Trial } from "../lab/experiment.ts";
import { replaceBlock } from "../support/markdown.ts";
import { type Chapter, chapters } from "./chapters.ts";
import { bundleChains, bundleContenders } from "./contenders.ts";
import { startStub } from "./dynamodb-stub.ts";
import { differingResponses } from "./same-responses.ts";

/**
 * Measures the service and a handler without a framework, and other frameworks if `--peers` is given, after a check that all of
 * them do the same. A complete run without the peers writes docs/performance.md, which quotes the peers' figures with their date.
 * The smoke form only checks that the service and the handler do the same.
 */
export const bench = async ({ parts, isSmoke, has, directory, say }: Trial): Promise<Outcome> => {
  const hasPeers = has("peers");
  if (hasPeers) installPeers();
  const contenders = await bundleContenders({ folder: join(directory, "bundles"), hasPeers });
  const differences = await differingResponses(contenders, directory);
  if (isSmoke || differences.length > 0) return { problems: differences };
  const chains = await bundleChains({ folder: join(directory, "chains"), hasPeers });
  differences.push(...(await differingResponses(chains, directory)));
  if (differences.length > 0) return { problems: differences };

  const machine = describeMachine();
  say(`${machine}\n`);
  const stub = await startStub(directory);
  const slowStub = await startStub(directory, { delayMilliseconds: 3 });
  const measured: Chapter[] = [];
  try {
    for (const part of parts) {
      const chapter = await chapters[part]?.({ contenders, chains, folder: directory, stub, slowStub });
      if (!chapter) continue;
      measured.push(chapter);
      say(`${chapter.text}\n`);
    }
  } finally {
    stub.stop();
    slowStub.stop();
  }
  // A partial run would mix figures of different machines or days.
  if (parts.length === Object.keys(chapters).length && !hasPeers) {
    const file = new URL("../../docs/performance.md", import.meta.url);
    const figures = [`Measured on ${machine}.`, ...measured.map(({ text }) => text)].join("\n\n");
    await writeFile(file, replaceBlock(await readFile(file, "utf8"), "figures", figures));
    say("Written to docs/performance.md.");
  }
  return { problems: measured.flatMap(({ problems }) => problems) };
};

/** What is only compared with is no dependency of the project, but of a package of its own. */
const installPeers = (): void => {
  const cwd = fileURLToPath(new URL("peers", import.meta.url));
  const run = (command: string, ...words: string[]) => {
    const { status, error } = spawnSync(command, words, { cwd, stdio: "inherit", shell: process.platform === "win32" });
    if (status !== 0) throw new Error(`${[command, ...words].join(" ")} failed in ${cwd}.`, { cause: error });
  };
  // npm writes this file last.
  if (!existsSync(join(cwd, "node_modules/.package-lock.json"))) run("npm", "ci");
  run("tsc", "-p", ".");
};

const describeMachine = (): string => {
  const [processor] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const date = new Date().toISOString().slice(0, 10);
  return `${cpus().length} × ${processor?.model.trim()}, ${gigabytes} GB, ${type()} ${process.arch}, Node.js ${process.versions.node}, ${date}, commit ${commit}`;
};
