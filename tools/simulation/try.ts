import { kindOf } from "./explore.ts";
import { generateSchedule } from "./generate.ts";
import { judge } from "./judges/judge.ts";
import { plants } from "./plants/plants.ts";
import { runSchedule } from "./run-schedule.ts";
import { withVirtualGlobals } from "./world/virtual-globals.ts";

const [from = "3", to = "600", step = "12", ...names] = process.argv.slice(2);
const counts: Record<string, number> = {};
await withVirtualGlobals(async () => {
  for (const name of names.length ? names : [""]) {
    const plant = name === "" ? undefined : plants[name];
    let n = 0;
    const found: Record<string, [number, number]> = {};
    for (let seed = Number(from); seed < Number(to); seed += Number(step)) {
      const run = await runSchedule(generateSchedule(seed), plant);
      n += 1;
      for (const item of run.database.itemsOf("notices").values()) {
        const k = item.kind?.S ?? "";
        counts[k] = (counts[k] ?? 0) + 1;
        for (const c of ["topic", "bus"]) {
          const s = `${c} ${item[c]?.S}`;
          counts[s] = (counts[s] ?? 0) + 1;
        }
      }
      for (const p of judge(run)) {
        const k = kindOf(p).slice(0, 150);
        const [c, s] = found[k] ?? [0, seed];
        found[k] = [c + 1, s];
      }
    }
    console.log(name, n, found);
  }
});
console.log(counts);
