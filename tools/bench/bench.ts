import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem, type } from "node:os";
import { join } from "node:path";
import type { Outcome, Trial } from "../lab/experiment.ts";
import { replaceBlock } from "../support/markdown.ts";
import { chapters, measureChapter } from "./chapters.ts";
import { bundleContenders, type Contender, memoryStores } from "./contenders.ts";
import { startStub } from "./dynamodb-stub.ts";
import { differingResponses } from "./same-responses.ts";

/**
 * Measures the service and a handler without a framework, after a check that both do the same. A complete run writes
 * docs/performance.md. The smoke form only checks that both do the same.
 */
export const bench = async ({ parts, isSmoke, directory, say }: Trial): Promise<Outcome> => {
  const stub = await startStub(directory);
  const surroundings = { folder: directory, ...stub };
  try {
    const differencesOf = (some: Contender[]) => differingResponses(some, surroundings, stub.takeRequests);
    const contenders = await bundleContenders(join(directory, "bundles"));
    const differences = await differencesOf(contenders);
    if (isSmoke || differences.length > 0) return { problems: differences };
    const chains = await bundleContenders(join(directory, "chains"), [memoryStores]);
    differences.push(...(await differencesOf(chains)));
    if (differences.length > 0) return { problems: differences };

    const texts = [`Measured on ${describeMachine()}.`];
    const problems: string[] = [];
    for (const [name, chapter] of Object.entries(chapters)) {
      if (!parts.includes(name)) continue;
      const measured = await measureChapter(chapter, chapter.isChain ? chains : contenders, surroundings);
      say(`${measured.text}\n`);
      texts.push(measured.text);
      problems.push(...measured.problems);
    }
    // A partial run would mix figures of different machines or days.
    if (parts.length === Object.keys(chapters).length) {
      const file = new URL("../../docs/performance.md", import.meta.url);
      await writeFile(file, replaceBlock(await readFile(file, "utf8"), "figures", texts.join("\n\n")));
      say("Written to docs/performance.md.");
    }
    return { problems };
  } finally {
    stub.stop();
  }
};

const describeMachine = (): string => {
  const [processor] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const date = new Date().toISOString().slice(0, 10);
  return `${cpus().length} × ${processor?.model.trim()}, ${gigabytes} GB, ${type()} ${process.arch}, Node.js ${process.versions.node}, ${date}, commit ${commit}`;
};
