import type { Held } from "../../support/traffic/token-pool.ts";
import { createTraffic, stretchUntil } from "../../support/traffic/traffic.ts";
import type { Moment } from "./deployed-rights.ts";
import { prepareHandOver } from "./hand-over.ts";
import { handOverChanges } from "./hand-over-changes.ts";
import { handOverKeys } from "./hand-over-keys.ts";
import { handOverTokens } from "./hand-over-tokens.ts";
import { compareReadings, compareUses, type Uses } from "./readings.ts";
import type { Versions } from "./versions.ts";

export interface Stage {
  what: string;
  /** The share of the calls that goes to the present version. */
  share: number;
  /** The source of the rights that both versions have. */
  moment: Moment;
}

/** An upgrade with two rollbacks: one by CloudFormation, and one by the aliases of the functions. */
export const upgradeAndBack: readonly Stage[] = [
  { what: "the release alone", share: 0, moment: "upgrading" },
  { what: "a tenth to the present version", share: 0.1, moment: "upgrading" },
  { what: "rolled back", share: 0, moment: "going back" },
  { what: "a tenth again", share: 0.1, moment: "upgrading" },
  { what: "the present version alone", share: 1, moment: "upgraded" },
  { what: "switched back by the aliases", share: 0, moment: "upgraded" },
];

export interface RehearsalOptions {
  versions: Versions;
  stages: readonly Stage[];
  /** How long traffic flows in each stage, and the minimum number of calls, for slow machines. */
  secondsPerStage: number;
  callsPerStage?: number;
  clients?: number;
  pauseMs?: number;
  /** After which stages the versions hand over to each other and read everything. */
  checkAfter?: "each stage" | "the last stage";
  onStage?: (what: string) => void;
}

export interface Rehearsal {
  /** All differences that were found. */
  problems: string[];
  figures: Record<string, number>;
}

/**
 * Sends traffic to both versions, stage by stage. After each stage or the last one, each version continues with the records
 * that the other one has just written, and both read everything. At the end, the histories of all keys and tokens are checked.
 * Stops after a stage with differences.
 */
export const rehearse = async (options: RehearsalOptions): Promise<Rehearsal> => {
  const { versions, stages, secondsPerStage, clients = 8, pauseMs = 20, checkAfter = "each stage" } = options;
  const { callsPerStage = 0, onStage = () => {} } = options;
  const { released, present } = versions;
  let share = 0;
  const chooseTarget = () => (Math.random() < share ? present : released).target;
  const traffic = createTraffic({ chooseTarget, clients, pauseMs, adminPauseMs: 60 });
  const { differences: problems, caller, stock, pool, keys, events, failures } = traffic;
  const usesHandedOver = new Map<string, number>();

  /** How often each token has been used with its correct secret. */
  const uses = (): Map<string, Uses> => {
    const ids = new Set([...usesHandedOver.keys(), ...pool.all().map(({ id }) => id)]);
    const usesOf = (id: string): Uses => {
      const inTraffic = events.of(id).filter(({ action }) => action.kind === "use").length;
      const least = inTraffic + (usesHandedOver.get(id) ?? 0);
      return { least, most: least + (failures.get(id) ?? 0) };
    };
    return new Map([...ids].map((id) => [id, usesOf(id)]));
  };

  const handOver = async (own: Held): Promise<string[]> => {
    const found: string[] = [];
    for (const [writer, reader] of [
      [released, present],
      [present, released],
    ] as const) {
      const prepared = prepareHandOver({ writer, reader, differences: found, uses: usesHandedOver, failures });
      await handOverKeys(prepared, own);
      await handOverTokens(prepared);
      if (writer === present) await handOverChanges(prepared);
    }
    return found;
  };

  const handOverAndRead = async (): Promise<void> => {
    const own = await stock.ownToken();
    // On a busy machine, a call may fail. An incompatibility fails again.
    if ((await handOver(own)).length > 0) problems.push(...(await handOver(own)));
    for (const { target } of [released, present]) await stock.take(own, target);
  };

  const compareAll = async (): Promise<void> => {
    const counted = uses();
    for (const version of [released, present]) problems.push(...(await compareUses({ version, uses: counted })));
    problems.push(...(await compareReadings({ versions, keyIds: keys.names(), tokenIds: [...counted.keys()] })));
  };

  /** The calls of functions that were refused for lack of rights: they may have failed, or have left something undone. */
  const refusals = (): string[] => {
    const refused = versions.logged().matchAll(/assumed-role\/([\w-]+)\/\S+ (is not authorized to perform: \S+)/g);
    return [...new Set([...refused].map(([, name, what]) => `${name} ${what}`))];
  };

  for (const [index, { what, share: next, moment }] of stages.entries()) {
    onStage(what);
    share = next;
    await versions.enforce(moment);
    const endsAt = Date.now() + secondsPerStage * 1000;
    const enoughCalls = caller.answeredCalls() + callsPerStage;
    await traffic.send(stretchUntil(() => Date.now() >= endsAt && caller.answeredCalls() >= enoughCalls));
    if (checkAfter === "the last stage" && index < stages.length - 1) continue;
    await handOverAndRead();
    if (problems.length === 0) await compareAll();
    if (problems.length > 0) break;
  }
  problems.push(...refusals(), ...traffic.impossibleHistories(), ...traffic.limits.differences());

  return {
    problems,
    figures: {
      "calls to the released version": released.target.calls,
      "calls to the present version": present.target.calls,
      "operations on keys": keys.size().operations,
      "verdicts and changes of tokens": events.size().operations,
      "calls that failed": caller.failures(),
      keys: keys.size().objects,
      tokens: uses().size,
    },
  };
};
