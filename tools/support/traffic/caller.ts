import { answerContract } from "../contract/answer-contract.ts";
import type { Description } from "../contract/description.ts";
import { type Answered, callFrom, type Outgoing } from "./calls.ts";

/** A running version of the service. */
export interface Target {
  port: number;
  /** The port of its Invoke API. */
  invokePort: number;
  /** Throws if an answer is not as the version's description has it. */
  assertDescribed: ReturnType<typeof answerContract>["assertDescribed"];
}

export const targetOf = ({
  description,
  ...ports
}: {
  port: number;
  invokePort: number;
  description: Description;
}) => ({
  ...ports,
  assertDescribed: answerContract(description).assertDescribed,
});

type Call = (outgoing: Omit<Outgoing, "port">, target?: Target) => Promise<Answered>;

export interface CallerOptions {
  /** Chooses the version for a call that does not name one. */
  chooseTarget: () => Target;
  differences: string[];
  /** Whether calls may fail, because something is killed on purpose. Otherwise a failed call is a difference. */
  expectsFailures: boolean;
}

/** Calls the service, compares each answer with the description of the API, and counts. */
export const createCaller = ({ chooseTarget, differences, expectsFailures }: CallerOptions) => {
  const statuses = new Map<string, number>();
  const latencies: number[] = [];
  let gatewayFailures = 0;

  const check = ({ method, path }: Omit<Outgoing, "port">, answered: Answered, { assertDescribed }: Target) => {
    try {
      assertDescribed(method, path, answered);
    } catch (error) {
      differences.push(String(error));
    }
  };

  const call: Call = async (outgoing, target = chooseTarget()) => {
    const answered = await callFrom({ ...outgoing, port: target.port });
    const { status, text } = answered;
    const name = status === 0 ? "no answer" : `${outgoing.method} ${status}`;
    statuses.set(name, (statuses.get(name) ?? 0) + 1);
    if (status !== 0) latencies.push(answered.answeredAt - answered.calledAt);
    if (!expectsFailures && isFailure(answered)) {
      differences.push(`${outgoing.method} ${outgoing.path} failed with status ${status}: ${text}`);
    }
    if (status === 500 && text === '{"message":"Internal Server Error"}') gatewayFailures += 1;
    else if (status !== 0) check(outgoing, answered, target);
    return answered;
  };

  /** Repeats a call until the service itself answers: a thread may be killed in the meantime. */
  const callPatiently: Call = async (outgoing, target) => {
    let answered = await call(outgoing, target);
    for (let attempt = 1; attempt < 5 && isFailure(answered); attempt += 1) answered = await call(outgoing, target);
    return answered;
  };

  return {
    call,
    callPatiently,
    statuses: () => Object.fromEntries([...statuses].toSorted()),
    calls: () => [...statuses.values()].reduce((sum, count) => sum + count, 0),
    /** Calls that the gateway itself answered because their function was killed. */
    gatewayFailures: () => gatewayFailures,
    percentile(share: number): number {
      const sorted = latencies.toSorted((one, other) => one - other);
      return sorted[Math.floor(sorted.length * share)] ?? 0;
    },
  };
};

export type Caller = ReturnType<typeof createCaller>;

/** Whether an answer leaves open what was done: there was none, or it is a 5xx. */
export const isFailure = ({ status }: Answered): boolean => status === 0 || status >= 500;
