import { api } from "../../../lambdas/api.ts";
import { descriptionOf } from "../../support/contract/description.ts";
import { targetOf } from "../../support/traffic/caller.ts";
import { addresses } from "../../support/traffic/clients.ts";
import { vCodeMark } from "../../support/traffic/key-client.ts";
import { createTraffic, stretchUntil } from "../../support/traffic/traffic.ts";
import { serviceProcess } from "./process.ts";

/** What a soak has done so far. */
export interface SoakProgress {
  statuses: Record<string, number>;
  /** How many clients have redeemed an invitation, or rotated, moved or revoked their token. */
  changes: Record<string, number>;
  processKills: number;
  threadKills: number;
}

export interface SoakOptions {
  /** How long it lasts, if there is no `missing`. */
  seconds?: number;
  /** Names what has not occurred yet. The soak ends when nothing is missing. */
  missing?: (progress: SoakProgress) => string[];
  /** It is an error if something is still missing after this many answered calls. */
  mostCalls?: number;
  port: number;
  dataDirectory: string;
  assemblyDirectory: string;
  clients?: number;
  /** The pause of a client between two calls. */
  pauseMs?: number;
  /** How many calls are answered between two kills. Between two moments, a slow machine might answer none. */
  callsPerThreadKill?: number;
  callsPerProcessKill?: number;
}

export interface SoakReport {
  /** Everything that is wrong. */
  differences: string[];
  figures: Record<string, number>;
  /** How many answers had each status. */
  statuses: Record<string, number>;
}

const leak = new RegExp(`it[ik]_[0-9A-Z]{26}_|${vCodeMark}`);

/**
 * Sends traffic to the service while its threads and the whole process are killed; then checks whether all answers can have
 * happened, and whether all that was acknowledged is still there.
 */
export const soak = async (options: SoakOptions): Promise<SoakReport> => {
  const { port, dataDirectory, assemblyDirectory, missing } = options;
  const { seconds = Number.POSITIVE_INFINITY, mostCalls = Number.POSITIVE_INFINITY } = options;
  const { clients = 10, pauseMs = 40, callsPerThreadKill = 300, callsPerProcessKill = 3_000 } = options;
  const service = serviceProcess({ port, dataDirectory, assemblyDirectory, leak });
  const target = targetOf({ port, invokePort: port + 1, description: descriptionOf(api) });
  const traffic = createTraffic({ chooseTarget: () => target, clients, pauseMs, changers: 2 });
  const { caller, pool, keys, events, limits, changes, stock, recorded, differences } = traffic;
  const endsAt = Date.now() + seconds * 1000;
  let processKills = 0;
  let orderedThreadKills = 0;
  const progress = () => ({
    statuses: caller.statuses(),
    changes: changes.done(),
    processKills,
    threadKills: service.threadKills(),
  });
  const stretch = stretchUntil(() => {
    if (!missing) return Date.now() >= endsAt;
    const names = missing(progress());
    if (names.length > 0 && caller.answeredCalls() > mostCalls) {
      throw new Error(`After ${mostCalls} calls, these had not occurred: ${names.join(", ")}`);
    }
    return names.length === 0;
  });

  const killer = async () => {
    while (!stretch.isOver()) {
      await stretch.pause(pauseMs);
      if (caller.answeredCalls() >= (processKills + 1) * callsPerProcessKill) {
        await service.kill();
        processKills += 1;
        await service.start();
      } else if (caller.answeredCalls() >= (orderedThreadKills + 1) * callsPerThreadKill) {
        service.killThread();
        orderedThreadKills += 1;
      }
    }
  };

  try {
    await service.start();
    await Promise.all([killer(), traffic.send(stretch)]);
    // Killed once more without a chance to write anything: what is there after that was on the disk.
    await service.kill();
    processKills += 1;
    await service.start();
    await changes.finish();
    await stock.take(await stock.ownToken());
    differences.push(...(await recorded.differences(target)));
  } finally {
    await service.kill();
  }

  differences.push(...traffic.impossibleHistories(), ...limits.differences());
  differences.push(...service.leaks().map((line) => `a secret in the log: ${line}`));
  if (caller.gatewayFailures() > service.threadKills()) {
    differences.push(`${caller.gatewayFailures()} calls failed, but only ${service.threadKills()} threads were killed`);
  }

  return {
    differences,
    statuses: caller.statuses(),
    figures: {
      calls: caller.calls(),
      addresses: addresses.length,
      tokens: pool.size(),
      "keys checked": keys.size().objects,
      "operations on keys": keys.size().operations,
      "changes in the history": recorded.size(),
      "verdicts and changes of tokens": events.size().operations,
      "calls with limited tokens": limits.calls(),
      ...Object.fromEntries(Object.entries(changes.done()).map(([name, count]) => [`${name} by clients`, count])),
      "threads killed": service.threadKills(),
      "answered 500 by the gateway for it": caller.gatewayFailures(),
      "processes killed": processKills,
      "median ms": caller.percentile(0.5),
      "99th percentile ms": caller.percentile(0.99),
      "most memory MB": service.memory().most,
      "last memory MB": service.memory().last,
      differences: differences.length,
    },
  };
};
