import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chains, coldStarts, databaseDelays, warmCalls, wholeList } from "./chapters/functions.ts";
import { growth } from "./chapters/growth.ts";
import { localLoad } from "./chapters/local-load.ts";
import { pageMarshalling } from "./chapters/page-marshalling.ts";
import { bundleChains, bundleContenders } from "./contenders.ts";
import { assertSameAnswers } from "./measure/check-answers.ts";
import { describeMachine } from "./report/machine.ts";
import { writePicture } from "./report/picture.ts";
import { writeReport } from "./report/report.ts";
import type { Chapter } from "./report/table.ts";
import { startStub } from "./stub/start-stub.ts";

const allChapters = ["cold", "warm", "chain", "delay", "page", "list", "growth", "local"];
const wanted = process.argv.length > 2 ? process.argv.slice(2) : allChapters;
const unknown = wanted.filter((name) => !allChapters.includes(name));
if (unknown.length > 0) throw new Error(`There is no chapter ${unknown.join(", ")}: ${allChapters.join(", ")}.`);

const say = (text: string) => process.stdout.write(`${text}\n`);
const folder = await mkdtemp(join(tmpdir(), "integration-api-bench-"));
const stub = await startStub(folder);
const slowStub = await startStub(folder, { delayMilliseconds: 3 });
try {
  const surroundings = { folder, ...stub };
  say(`${describeMachine()}\n\nBundling …`);
  const contenders = await bundleContenders(join(folder, "bundles"));
  const withoutStores = await bundleChains(join(folder, "chains"));
  await assertSameAnswers(contenders, folder);
  await assertSameAnswers(withoutStores, folder);
  say("All contenders do the same: status, headers, body and requests to the database.\n");

  const chapters: Record<string, () => Promise<Chapter>> = {
    cold: () => coldStarts(contenders, surroundings),
    warm: () => warmCalls(contenders, surroundings),
    chain: () => chains(withoutStores, surroundings),
    delay: () => databaseDelays(contenders, { folder, ...slowStub }),
    page: pageMarshalling,
    list: () => wholeList(contenders, surroundings),
    growth,
    local: localLoad,
  };
  const written: Chapter[] = [];
  for (const name of wanted) {
    const chapter = await chapters[name]?.();
    if (!chapter) continue;
    written.push(chapter);
    say(`${chapter.text}\n`);
  }
  // A partial run would mix figures of different machines or days.
  if (wanted.length === allChapters.length) {
    await writePicture(written);
    await writeReport(written);
    say("Written to docs/performance.md and docs/performance.svg.");
  }
} finally {
  stub.stop();
  slowStub.stop();
  await rm(folder, { recursive: true });
}
