import assert from "node:assert/strict";
import { join } from "node:path";
import type { Outcome, Trial } from "../conduct.ts";
import { chapters, measureChapter } from "./chapters.ts";
import { floor, installPeers, release, thisVersion } from "./contenders.ts";
import { type Stub, startStub } from "./dynamodb-stub.ts";
import { writeFigures } from "./figures.ts";
import { measureLocal } from "./local.ts";
import { type Contender, runChild } from "./measure.ts";
import { type RequestName, requestNames } from "./requests.ts";

/**
 * Measures a bare handler, the last release and this version, and with `--peers` other frameworks, in the same rounds. Writes
 * docs/performance.md. The smoke form makes each call only once.
 */
export const bench = async (trial: Trial): Promise<Outcome> => {
  const { isSmoke, flags, directory, say } = trial;
  if (flags.has("local")) return measureLocal(trial);
  if (isSmoke) await measureLocal(trial);
  const contenders = [
    await floor(directory),
    ...(flags.has("peers") ? await installPeers(join(directory, "peers")) : []),
    await release(join(directory, "released")),
    ...(await thisVersion(join(directory, "built"))),
  ];
  const stub = await startStub(directory);
  try {
    for (const request of requestNames) await assertSameJob(contenders, request, stub);
    if (isSmoke) return { problems: [] };
    const texts: string[] = [];
    const problems: string[] = [];
    for (const chapter of chapters) {
      const measured = await measureChapter(chapter, contenders, stub);
      say(`${measured.text}\n`);
      texts.push(measured.text);
      problems.push(...measured.problems);
    }
    writeFigures("figures", texts.join("\n\n"));
    return { problems };
  } finally {
    stub.stop();
  }
};

const comparedHeaders = ["cache-control", "content-type", "link", "location", "x-content-type-options", "x-request-id"];

/**
 * Checks that all contenders return the same response, apart from times, and make the same requests to the database.
 *
 * @throws {Error} naming the contender and the difference
 */
const assertSameJob = async (contenders: readonly Contender[], request: RequestName, stub: Stub): Promise<void> => {
  const jobOf = async ({ files }: Contender): Promise<string> => {
    await stub.operations();
    const { response } = await runChild({ bundle: files[request], request, warmUp: 0, calls: 0 }, stub);
    const { statusCode, headers = {}, body = "", isBase64Encoded } = response;
    const compared = Object.entries(headers)
      .map(([name, value]) => `${name.toLowerCase()}: ${value}`.replace("; charset=utf-8", ""))
      .filter((line) => comparedHeaders.some((name) => line.startsWith(`${name}:`)));
    const text = Buffer.from(body, isBase64Encoded ? "base64" : "utf8").toString();
    const job = [statusCode, ...compared.toSorted(), text, ...(await stub.operations())];
    return job.join("\n").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time");
  };
  const [first, ...others] = contenders;
  const expected = first && (await jobOf(first));
  for (const other of others) assert.equal(await jobOf(other), expected, `${other.name}, ${request}`);
};
