import { api } from "../../../lambdas/api.ts";
import { answerContract } from "../../support/contract/answer-contract.ts";
import { descriptionOf } from "../../support/contract/description.ts";
import { type Answered, callFrom, type Outgoing } from "./calls.ts";

type Call = (outgoing: Omit<Outgoing, "port">) => Promise<Answered>;

/** Calls the service, checks each answer against the description of the API, and counts the answers. */
export const createCaller = (port: number, differences: string[]) => {
  const { assertDescribed } = answerContract(descriptionOf(api));
  const statuses = new Map<string, number>();
  const latencies: number[] = [];
  let gatewayFailures = 0;

  const check = (outgoing: Omit<Outgoing, "port">, answered: Answered) => {
    try {
      assertDescribed(outgoing.method, outgoing.path, answered);
    } catch (error) {
      differences.push(String(error));
    }
  };

  const call: Call = async (outgoing) => {
    const answered = await callFrom({ ...outgoing, port });
    const { status, text } = answered;
    const name = status === 0 ? "no answer" : `${outgoing.method} ${status}`;
    statuses.set(name, (statuses.get(name) ?? 0) + 1);
    if (status !== 0) latencies.push(answered.answeredAt - answered.calledAt);
    if (status === 500 && text === '{"message":"Internal Server Error"}') gatewayFailures += 1;
    else if (status !== 0) check(outgoing, answered);
    return answered;
  };

  /** Calls until the service itself answers, because a thread may be killed in the meantime. */
  const callPatiently: Call = async (outgoing) => {
    let answered = await call(outgoing);
    for (let attempt = 1; attempt < 5 && (answered.status === 0 || answered.status >= 500); attempt += 1) {
      answered = await call(outgoing);
    }
    return answered;
  };

  return {
    call,
    callPatiently,
    statuses: () => Object.fromEntries([...statuses].toSorted()),
    calls: () => [...statuses.values()].reduce((sum, count) => sum + count, 0),
    /** The calls that the gateway itself answered, because their function was killed. */
    gatewayFailures: () => gatewayFailures,
    percentile(share: number): number {
      const sorted = latencies.toSorted((one, other) => one - other);
      return sorted[Math.floor(sorted.length * share)] ?? 0;
    },
  };
};
