import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliCompressSync } from "node:zlib";
import { packageFolder } from "../infra/build/project-folder.ts";
import { documentationPath } from "../lambdas/addresses.ts";
import type { Outcome, Trial } from "./lab/experiment.ts";
import { freePort } from "./support/free-port.ts";
import { writeManyEndpoints } from "./support/many-endpoints.ts";

const counts = [10, 50, 200];

/** What is promised for the largest service. */
const goals = { seconds: 10, megabytes: 1000 };

/** Measures services with more and more endpoints, from which docs/scale.md has its table. */
export const measureGrowth = async ({ directory, say, progress }: Trial): Promise<Outcome> => {
  say(`| Endpoints | ${Object.keys(figuresShown).join(" | ")} |`);
  const problems: string[] = [];
  for (const count of counts) {
    progress(`${count} endpoints`);
    const folder = join(directory, `${count}`);
    await writeManyEndpoints(count, folder);
    const figures = { ...(await synthesise(folder)), ...(await start(folder)), ...(await develop(folder)) };
    say(`| ${count} | ${Object.values(figuresShown).map((show) => show(figures)).join(" | ")} |`);
    if (figures.seconds > goals.seconds) problems.push(`${count} endpoints start in ${figures.seconds} s.`);
    if (figures.megabytes > goals.megabytes) problems.push(`${count} endpoints take ${figures.megabytes} MB.`);
  }
  return { problems };
};
