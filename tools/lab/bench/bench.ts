import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem, type } from "node:os";
import { join } from "node:path";
import { localAwsEnvironment, readApplication } from "cdk-local-runner/parts";
import { transform } from "esbuild";
import { readRelease, unpackRelease } from "../../release/release-folder.ts";
import type { Outcome, Trial } from "../conduct.ts";
import { chapters, measureChapter } from "./chapters.ts";
import { startStub } from "./dynamodb-stub.ts";
import { type Contender, runRounds } from "./measure.ts";
import { requestNames } from "./requests.ts";

/**
 * Measures the bundles of the last release and of this version. Writes docs/performance.md. The smoke form makes each call only
 * once.
 */
export const bench = async ({ isSmoke, directory, assembly, say }: Trial): Promise<Outcome> => {
  const released = await unpackRelease("service", join(directory, "released"));
  const contenders = [
    await withShortNames(await contenderIn(released, `Release ${(await readRelease()).version}`)),
    await contenderIn(await assembly(), "This version"),
  ] as const;
  const stub = await startStub(directory);
  const surroundings = { folder: directory, ...stub };
  try {
    if (isSmoke) {
      for (const request of requestNames) {
        await runRounds(contenders, { request, rounds: 0, warmUp: 0, calls: 0 }, surroundings);
      }
      return { problems: [] };
    }
    const texts = [`Measured on ${describeMachine()}.`];
    const problems: string[] = [];
    for (const chapter of chapters) {
      const measured = await measureChapter(chapter, contenders, surroundings);
      say(`${measured.text}\n`);
      texts.push(measured.text);
      problems.push(...measured.problems);
    }
    const file = new URL("../../../docs/performance.md", import.meta.url);
    await writeFile(file, replaceBlock(await readFile(file, "utf8"), "figures", texts.join("\n\n")));
    say("Written to docs/performance.md.");
    return { problems };
  } finally {
    stub.stop();
  }
};

/** Returns the bundles of an assembly, as they are deployed. */
const contenderIn = async (assemblyDirectory: string, name: string): Promise<Contender> => {
  const url = "http://127.0.0.1";
  const places = { environment: localAwsEnvironment(), baseUrl: url, loginUrl: url };
  const { functions } = await readApplication(assemblyDirectory, places);
  const fileOf = (functionName: string): string => {
    const found = functions.find((one) => one.name === functionName);
    if (!found) throw new Error(`${name} has no function ${functionName}.`);
    return join(found.codeDirectory, "index.js");
  };
  const files = { GET: fileOf("v1-list-keys"), POST: fileOf("v1-create-key") };
  return { name, files, kilobytes: statSync(files.GET).size / 1000 };
};

/** Shortens the names in recorded code, because deployed code has short names too. */
const withShortNames = async ({ name, files }: Contender): Promise<Contender> => {
  for (const file of Object.values(files)) {
    const { code } = await transform(await readFile(file, "utf8"), { minify: true, format: "cjs", target: "node24" });
    await writeFile(file, code);
  }
  return { name, files, kilobytes: statSync(files.GET).size / 1000 };
};

const describeMachine = (): string => {
  const [processor] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const date = new Date().toISOString().slice(0, 10);
  return `${cpus().length} × ${processor?.model.trim()}, ${gigabytes} GB, ${type()} ${process.arch}, Node.js ${process.versions.node}, ${date}, commit ${commit}`;
};

/**
 * Replaces the text between a mark in a document and the end of its block.
 *
 * @throws {Error} if the document has no such block
 */
const replaceBlock = (text: string, name: string, contents: string): string => {
  const [before, rest = ""] = text.split(`<!-- ${name} -->\n`);
  const end = rest.indexOf("<!-- end -->");
  if (end < 0) throw new Error(`The document needs <!-- ${name} -->, and below it <!-- end -->.`);
  return `${before}<!-- ${name} -->\n\n${contents}\n\n${rest.slice(end)}`;
};
