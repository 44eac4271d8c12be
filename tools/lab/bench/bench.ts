import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem, type } from "node:os";
import { join } from "node:path";
import { synthesise } from "../../../local/synthesise.ts";
import type { Outcome, Trial } from "../conduct.ts";
import { chapters, measureChapter } from "./chapters.ts";
import { floor, installPeers, release, thisVersion } from "./contenders.ts";
import { startStub } from "./dynamodb-stub.ts";
import { type Contender, runChild, type Surroundings } from "./measure.ts";
import { type RequestName, requestNames } from "./requests.ts";

/**
 * Measures a bare handler, the last release and this version, and with `--peers` other frameworks, in the same rounds. Writes
 * docs/performance.md. The smoke form makes each call only once.
 */
export const bench = async ({ isSmoke, hasPeers, directory, assembly, say }: Trial): Promise<Outcome> => {
  // V8 accepts a code cache only on the architecture where it was made.
  const context = { architecture: process.arch === "x64" ? "x86_64" : "arm64" };
  const build = isSmoke
    ? await assembly()
    : await synthesise(join(directory, "build"), { makesCodeCaches: true, context });
  const contenders = [
    await floor(directory),
    ...(hasPeers ? await installPeers(join(directory, "peers")) : []),
    await release(join(directory, "released")),
    ...(await thisVersion(build, join(directory, "rejected"))),
  ];
  const stub = await startStub(directory);
  const surroundings = { folder: directory, ...stub };
  try {
    for (const request of requestNames) await assertSameJob(contenders, request, surroundings);
    if (isSmoke) return { problems: [] };
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

/**
 * Checks that all contenders return the same response, apart from times, and make the same requests to the database.
 *
 * @throws {Error} naming the contender and the difference
 */
const assertSameJob = async (
  contenders: readonly Contender[],
  request: RequestName,
  surroundings: Surroundings & Pick<Awaited<ReturnType<typeof startStub>>, "operations">,
): Promise<void> => {
  const jobOf = async ({ files }: Contender): Promise<string> => {
    const bundle = request.startsWith("POST") ? files.POST : files.GET;
    await surroundings.operations();
    const { response } = await runChild({ bundle, request, warmUp: 0, calls: 0 }, surroundings);
    const headers = Object.entries(response.headers).map(([name, value]) => [
      name.toLowerCase(),
      String(value).replace("; charset=utf-8", ""),
    ]);
    const compared = headers.filter(([name = ""]) => comparedHeaders.includes(name)).toSorted();
    const body = response.isBase64Encoded ? Buffer.from(response.body, "base64").toString() : response.body;
    const job = { status: response.statusCode, headers: compared, body, operations: await surroundings.operations() };
    return JSON.stringify(job).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time");
  };
  const [first, ...others] = contenders;
  const expected = first && (await jobOf(first));
  for (const other of others) {
    const found = await jobOf(other);
    if (found !== expected) {
      const place = [...found].findIndex((character, index) => character !== expected?.[index]);
      const [from, to] = [Math.max(place - 100, 0), place + 100];
      throw new Error(`${other.name} does another job: …${found.slice(from, to)}…, not …${expected?.slice(from, to)}…`);
    }
  }
};

const comparedHeaders = ["cache-control", "content-type", "link", "location", "x-content-type-options", "x-request-id"];

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
