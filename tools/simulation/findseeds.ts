import { readFileSync, writeFileSync } from "node:fs";
import { explore, kindOf } from "./explore.ts";
import { replayStates } from "./life-cycle/replay.ts";
import { exploreStates } from "./life-cycle/states.ts";
import { plants } from "./plants/plants.ts";
import { withVirtualGlobals } from "./world/virtual-globals.ts";
const text = readFileSync("/tmp/simbase/old-plants.test.ts", "utf8");
const first = Object.fromEntries([...text.matchAll(/^ {2}"(.*)": (\d+),$/gm)].map(([, n, s]) => [n, Number(s)]));
const part = Number(process.argv[2]); const parts = Number(process.argv[3]);
const scope = { tokens: 2, requests: 2 };
const { states } = exploreStates(scope);
const out: Record<string, object> = {};
for (const [index, [name, plant]] of Object.entries(plants).entries()) {
  if (index % parts !== part) continue;
  const { difference } = await replayStates(states, { scope, isComplete: false, plant });
  const ranges: [number, number][] = [...(first[name] ? [[first[name], first[name] + 150] as [number, number]] : []), [1, 500]];
  let failure; let n = 0;
  await withVirtualGlobals(async () => {
    for (const [from, to] of ranges) { const r = await explore({ from, to }, plant); n += r.schedules; failure = r.failure; if (failure) break; }
  });
  out[name] = { life: difference?.problem.slice(0, 90), seed: failure?.seed, n, problem: failure && kindOf(failure.problems[0]).slice(0, 120) };
  writeFileSync(`/tmp/simbase/after${part}.json`, JSON.stringify(out, null, 1));
}
