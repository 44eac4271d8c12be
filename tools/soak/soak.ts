import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { api } from "../../lambdas/api.ts";
import { descriptionOf } from "../../testing/contract/description.ts";
import type { Outcome, Trial } from "../lab/experiment.ts";
import { freePort } from "../support/free-port.ts";
import { targetOf } from "../support/traffic/caller.ts";
import { vCodeMark } from "../support/traffic/keys.ts";
import { createTraffic } from "../support/traffic/traffic.ts";
import { serviceProcess } from "./process.ts";

const leak = new RegExp(`it[ik]_[0-9A-Z]{26}_|${vCodeMark}`);

/**
 * Sends traffic to the service while its threads and the whole process are killed; then checks whether all responses are
 * possible, and whether everything that was acknowledged is still there.
 */
export const soak = async (trial: Trial): Promise<Outcome> => {
  const { isSmoke, seconds, directory } = trial;
  const port = await freePort();
  const clients = trial.numberOf("clients") ?? (isSmoke ? 6 : 10);
  // With a fixed time instead, a slow machine might complete no calls between two kills.
  const [callsPerThreadKill, callsPerProcessKill] = isSmoke ? [50, 200] : [300, 3_000];
  const dataDirectory = join(directory, "data");
  const service = serviceProcess({ port, leak, assemblyDirectory: await trial.assembly(), dataDirectory });
  const target = targetOf({ port, invokePort: port + 1 }, descriptionOf(api));
  const traffic = createTraffic({ all: () => [target], choose: () => target, newest: () => target }, clients);
  const { caller, problems } = traffic;
  const endsAt = Date.now() + seconds * 1000;
  let processKills = 0;
  let orderedThreadKills = 0;
  let isSending = true;

  /** The smoke form ends when everything has been done and killed. */
  const isEnough = (): boolean => {
    if (!isSmoke) return Date.now() >= endsAt;
    return Object.values(traffic.done()).every((times) => times > 1) && processKills > 0 && service.threadKills() > 2;
  };
  const restart = async (): Promise<void> => {
    await service.kill();
    processKills += 1;
    await service.start();
  };
  const killer = async (): Promise<void> => {
    for (; isSending; await sleep(40)) {
      if (caller.answeredCalls() >= (processKills + 1) * callsPerProcessKill) await restart();
      else if (caller.answeredCalls() >= (orderedThreadKills + 1) * callsPerThreadKill) {
        service.killThread();
        orderedThreadKills += 1;
      }
    }
  };

  try {
    await service.start();
    const sending = traffic.send(isEnough).finally(() => {
      isSending = false;
    });
    await Promise.all([killer(), sending]);
    // Killed once more without a chance to write anything: only the data on the disk remains.
    await restart();
    await traffic.checkStock(target);
  } finally {
    isSending = false;
    await service.kill();
  }

  problems.push(...traffic.impossibleHistories());
  problems.push(...service.leaks.map((line) => `a secret in the log: ${line}`));
  if (caller.gatewayFailures() > service.threadKills()) {
    problems.push(`${caller.gatewayFailures()} calls failed, but only ${service.threadKills()} threads were killed`);
  }
  return {
    problems,
    figures: {
      ...caller.statuses(),
      ...traffic.figures(),
      calls: target.calls,
      "threads killed": service.threadKills(),
      "answered 500 by the gateway for it": caller.gatewayFailures(),
      "processes killed": processKills,
      "most memory MB": Math.max(...service.memory),
      "last memory MB": service.memory.at(-1) ?? 0,
    },
  };
};
