import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { synthesise } from "../../local/synthesise.ts";
import type { Case } from "./support/case.ts";
import { anyCase, startFuzzer } from "./support/fuzz.ts";

const casesPerRound = 5_000;

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Date.now() % 1e9) },
  },
});
const [wanted, firstSeed] = [Number(values.cases), Number(values.seed)];

/** Stores the smallest case that failed where the tests find it. */
const keep = async (failed: Case | undefined, error: unknown, seed: number): Promise<void> => {
  const text = `${JSON.stringify(failed, undefined, 2)}\n`;
  const name = createHash("sha256").update(text).digest("hex").slice(0, 12);
  await writeFile(new URL(`seeds/${name}.json`, import.meta.url), text);
  process.stderr.write(`Seed ${seed} found a case, kept as tools/fuzz/seeds/${name}.json:\n${text}\n`);
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
};

// Thousands of new keys stay in the embedded database. Each would keep a slab of Node's pool in memory.
Buffer.poolSize = 0;

const directory = await mkdtemp(join(tmpdir(), "integration-api-fuzz-"));
const fuzzer = await startFuzzer(await synthesise(directory));
const startedAt = performance.now();
let done = 0;
try {
  for (let seed = firstSeed; done < wanted; seed += 1) {
    const numRuns = Math.min(casesPerRound, wanted - done);
    const property = fc.asyncProperty(anyCase, fuzzer.check).beforeEach(async () => {});
    const details = await fc.check(property, { seed, numRuns });
    done += details.numRuns;
    if (details.failed) await keep(details.counterexample?.[0], details.errorInstance, seed);
    if (process.exitCode) break;
    await fuzzer.restore();
    const perSecond = Math.round(done / ((performance.now() - startedAt) / 1000));
    process.stdout.write(`${done} cases, ${perSecond} a second, next seed ${seed + 1}\n`);
  }
  for (const [name, count] of [...fuzzer.tally].toSorted())
    process.stdout.write(`${String(count).padStart(9)}  ${name}\n`);
} finally {
  fuzzer.close();
  await rm(directory, { recursive: true });
}
process.exit();
