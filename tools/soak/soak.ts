import { join } from "node:path";
import { api } from "../../lambdas/api.ts";
import type { Outcome, Trial } from "../lab/experiment.ts";
import { descriptionOf } from "../support/contract/description.ts";
import { freePort } from "../support/free-port.ts";
import { targetOf } from "../support/traffic/caller.ts";
import { addresses } from "../support/traffic/clients.ts";
import { vCodeMark } from "../support/traffic/key-client.ts";
import { createTraffic, stretchUntil } from "../support/traffic/traffic.ts";
import { serviceProcess } from "./process.ts";

const leak = new RegExp(`it[ik]_[0-9A-Z]{26}_|${vCodeMark}`);

/** What the smoke form waits for: with less, it would prove little. */
const expectedStatuses = ["POST 201", "GET 200", "PUT 200", "DELETE 204", "GET 401", "GET 403", "GET 302"];
const expectedChanges = ["redeemed", "rotated", "moved", "revoked"];
const mostSmokeCalls = 20_000;

/**
 * Sends traffic to the service while its threads and the whole process are killed; then checks whether all responses are
 * possible, and whether everything that was acknowledged is still there.
 */
export const soak = async (trial: Trial): Promise<Outcome> => {
  const { isSmoke, seconds, directory } = trial;
  const port = trial.numberOf("port") ?? (await freePort());
  const clients = trial.numberOf("clients") ?? (isSmoke ? 6 : 10);
  // With a fixed time instead, a slow machine might complete no calls between two kills.
  const [callsPerThreadKill, callsPerProcessKill] = isSmoke ? [50, 200] : [300, 3_000];
  const pauseMs = 40;
  const service = serviceProcess({
    ...{ port, leak, assemblyDirectory: await trial.assembly() },
    dataDirectory: join(directory, "data"),
  });
  const target = targetOf({ port, invokePort: port + 1, description: descriptionOf(api) });
  const traffic = createTraffic({ chooseTarget: () => target, clients, pauseMs, changers: 2 });
  const { caller, pool, keys, events, limits, changes, stock, recorded, differences } = traffic;
  const endsAt = Date.now() + seconds * 1000;
  let processKills = 0;
  let orderedThreadKills = 0;

  const missing = (): string[] => {
    const statuses = caller.statuses();
    const done: Record<string, number> = changes.done();
    return [
      ...expectedChanges.filter((name) => !done[name]),
      ...expectedStatuses.filter((name) => (statuses[name] ?? 0) < 3),
      ...(processKills > 0 ? [] : ["a killed process"]),
      ...(service.threadKills() > 2 ? [] : ["three killed threads"]),
    ];
  };
  const stretch = stretchUntil(() => {
    if (!isSmoke) return Date.now() >= endsAt;
    const names = missing();
    if (names.length > 0 && caller.answeredCalls() > mostSmokeCalls) {
      throw new Error(`After ${mostSmokeCalls} calls, these had not occurred: ${names.join(", ")}`);
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
    // Killed once more without a chance to write anything: only the data on the disk remains.
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
    problems: differences,
    figures: {
      ...caller.statuses(),
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
    },
  };
};
