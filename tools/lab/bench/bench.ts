import assert from "node:assert/strict";
import { join } from "node:path";
import type { Outcome, Trial } from "../conduct.ts";
import { chapters, measureChapter } from "./chapters.ts";
import { floor, installPeers, release, thisVersion } from "./contenders.ts";
import { startStub } from "./dynamodb-stub.ts";
import { writeFigures } from "./figures.ts";
import { measureLocal } from "./local.ts";
import { type Contender, runChild, type Surroundings } from "./measure.ts";
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
    ...(await thisVersion("This version, code cache", join(directory, "built"))),
  ];
  const stub = await startStub(directory);
  const surroundings = { folder: directory, ...stub };
  try {
    for (const request of requestNames) await assertSameJob(contenders, request, surroundings);
    if (isSmoke) return { problems: [] };
    const texts: string[] = [];
    const problems: string[] = [];
    for (const chapter of chapters) {
      const measured = await measureChapter(chapter, contenders, surroundings);
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
  const jobOf = async ({ files }: Contender): Promise<object> => {
    await surroundings.operations();
    const { response } = await runChild({ bundle: files[request], request, warmUp: 0, calls: 0 }, surroundings);
    const headers = Object.entries(response.headers).map(([name, value]) => [
      name.toLowerCase(),
      String(value).replace("; charset=utf-8", ""),
    ]);
    const compared = headers.filter(([name = ""]) => comparedHeaders.includes(name)).toSorted();
    const body = response.isBase64Encoded ? Buffer.from(response.body, "base64").toString() : response.body;
    return { status: response.statusCode, headers: compared, body, operations: await surroundings.operations() };
  };
  const withoutTimes = (job: object): string =>
    JSON.stringify(job, null, 1).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time");
  const [first, ...others] = contenders;
  const expected = first && withoutTimes(await jobOf(first));
  for (const other of others) assert.deepEqual([other.name, withoutTimes(await jobOf(other))], [other.name, expected]);
};

const comparedHeaders = ["cache-control", "content-type", "link", "location", "x-content-type-options", "x-request-id"];
