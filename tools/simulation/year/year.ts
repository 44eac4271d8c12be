import { gzipSync } from "node:zlib";
import type { Plant } from "../open-functions.ts";
import { createRandom } from "../world/random.ts";
import { withVirtualGlobals } from "../world/virtual-globals.ts";
import { type Cloud, createCloud, type Faults } from "./cloud.ts";
import { faultsOf, isOnlyOfChannels } from "./faults.ts";
import { type Due, judgeYear } from "./judge.ts";
import { createLives, type Event } from "./lives.ts";
import { dueFor } from "./oracle.ts";
import { createPeople } from "./people.ts";

export interface YearOptions {
  tokens: number;
  days: number;
  seed: number;
  plant?: Plant | undefined;
  onProgress?: (day: number) => void;
}

export interface Year {
  problems: string[];
  figures: Record<string, number>;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 10, 1);
/** Lambda repeats an invocation that failed, a minute and two minutes later. */
const repetitionsMs = [60_000, 120_000];

/** Lets a year pass. */
export const liveYear = (options: YearOptions): Promise<Year> => withVirtualGlobals(() => live(options));

const live = async ({ tokens, days, seed, plant, onProgress }: YearOptions): Promise<Year> => {
  const random = createRandom(seed);
  // What the functions draw must not change what happens to them.
  const cloud = createCloud(createRandom(~seed), start, plant);
  const people = createPeople(cloud);
  const due: Due = { required: new Set(), possible: new Set() };
  const figures = {
    "days without a run": 0,
    "failed runs": 0,
    "runs that died": 0,
    "failed deliveries of log lines": 0,
  };
  const lives = createLives({ people, cloud, random, tokens, days: days - 5 });

  const invoke = async (name: "notices" | "usage", event: unknown, faults: Faults) => {
    const outcome = await cloud.invoke(name, event, faults);
    if (outcome.kind === "failed") figures[name === "notices" ? "failed runs" : "failed deliveries of log lines"] += 1;
    if (outcome.kind === "crashed") figures["runs that died"] += 1;
    return outcome.kind === "done";
  };

  /** The daily run, repeated as Lambda does. */
  const run = async (planned: Faults, lasts: boolean): Promise<void> => {
    for (const [attempt, pause] of [0, ...repetitionsMs].entries()) {
      cloud.now += pause;
      const faults = attempt === 0 || lasts ? planned : {};
      const ids = lives.all().flatMap((held) => dueFor(held, cloud.now));
      const isDone = await invoke("notices", { task: "daily" }, faults);
      for (const id of ids) {
        due.possible.add(id);
        if (isDone || isOnlyOfChannels(faults)) due.required.add(id);
      }
      if (isDone) return;
    }
  };

  /** CloudWatch Logs delivers the logged lines. `urgent` are the notices that are due at once. */
  const deliver = async (urgent: readonly string[]): Promise<void> => {
    const logEvents = cloud.takeLines();
    if (logEvents.length === 0) return;
    const text = JSON.stringify({ messageType: "DATA_MESSAGE", logEvents });
    const event = { awslogs: { data: gzipSync(text, { level: 1 }).toString("base64") } };
    const planned = urgent.length > 0 && random.chance(0.15) ? faultsOf(random, 6) : {};
    for (const [attempt, pause] of [0, ...repetitionsMs].entries()) {
      cloud.now += pause;
      const faults = attempt === 0 ? planned : {};
      const isDone = await invoke("usage", event, faults);
      for (const id of urgent) {
        due.possible.add(id);
        if (isDone || isOnlyOfChannels(faults)) due.required.add(id);
      }
      if (isDone) return;
    }
  };

  for (let day = 0; day < days; day += 1) {
    const midnight = start + day * dayMs;
    const isClean = day >= days - 3;
    const runAt = midnight + 6 * hourMs;
    const isMissed = !isClean && random.chance(0.03);
    const faults = !isClean && random.chance(0.3) ? faultsOf(random, 20) : {};
    if (isMissed) figures["days without a run"] += 1;
    const dailyRun = async (): Promise<string[]> => {
      if (!isMissed) await run(faults, random.chance(0.5));
      return [];
    };
    let events: Event[] = [{ at: runAt, act: dailyRun }, ...lives.eventsOf(day, midnight)];
    for (;;) {
      events = [...events, ...lives.takePlanned(midnight + dayMs)].toSorted((one, other) => one.at - other.at);
      const next = events.shift();
      if (!next) break;
      cloud.now = Math.max(cloud.now, next.at);
      const urgent = await next.act();
      if (urgent.length > 0) await deliver(urgent);
    }
    cloud.now = Math.max(cloud.now, midnight + dayMs - 60_000);
    await deliver([]);
    cloud.database.deleteDue(cloud.now);
    onProgress?.(day + 1);
  }
  const { problems, counts } = judgeYear(cloud, due);
  return { problems, figures: { tokens: lives.all().length, days, ...counts, ...figures, ...countsOf(cloud) } };
};

const countsOf = ({ receivers: { sendings } }: Cloud): Record<string, number> => ({
  "messages to the topic": sendings.filter(({ channel }) => channel === "topic").length,
  "events on the bus": sendings.flatMap(({ channel, noticeIds }) => (channel === "bus" ? noticeIds : [])).length,
  "attempts without an answer": sendings.filter(({ isAnswered }) => !isAnswered).length,
});
