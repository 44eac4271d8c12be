import { Agent, request } from "node:http";
import { answerContract } from "../contract/answer-contract.ts";
import type { Description } from "../contract/description.ts";

export interface Answered {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
  calledAt: number;
  answeredAt: number;
}

interface Outgoing {
  method: string;
  path: string;
  port: number;
  /** The loopback address to call from. */
  from: string;
  token?: string;
  form?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

const agent = new Agent({ keepAlive: false });
const patienceMs = 60_000;

/** Sends a request. The status is 0 if the connection breaks before there is a response. */
const callFrom = ({ method, path, port, from, token, form, headers, body }: Outgoing): Promise<Answered> => {
  const calledAt = Date.now();
  return new Promise((resolve) => {
    const settle = (status: number, more: Partial<Answered> = {}) =>
      resolve({ status, headers: {}, text: "", ...more, calledAt, answeredAt: Date.now() });
    const outgoing = request({
      host: "127.0.0.1",
      port,
      path,
      method,
      localAddress: from,
      agent,
      timeout: patienceMs,
      headers: {
        accept: "application/json",
        ...(token !== undefined && { "x-token": token }),
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
    });
    outgoing.once("error", () => settle(0)).once("timeout", () => outgoing.destroy());
    outgoing.once("response", (response) => {
      response.toArray().then(
        (chunks: Buffer[]) => {
          const text = Buffer.concat(chunks).toString("utf8");
          settle(response.statusCode ?? 0, { headers: response.headers as Answered["headers"], text });
        },
        () => settle(0),
      );
    });
    outgoing.end(form ? new URLSearchParams(form).toString() : body);
  });
};

/** A running version of the service. */
export interface Target {
  port: number;
  /** The port of its Invoke API. */
  invokePort: number;
  /** Throws if a response does not fit the version's description. */
  assertDescribed: ReturnType<typeof answerContract>["assertDescribed"];
  /** How often it has been called. */
  calls: number;
}

interface TargetOptions extends Pick<Target, "port" | "invokePort"> {
  description: Description;
}

export const targetOf = ({ description, ...ports }: TargetOptions): Target => ({
  ...ports,
  assertDescribed: answerContract(description).assertDescribed,
  calls: 0,
});

/** A request to any version. */
export type Request = Omit<Outgoing, "port">;

export const callTarget = (target: Target, request: Request): Promise<Answered> => {
  target.calls += 1;
  return callFrom({ ...request, port: target.port });
};

/** Invokes the admin function of a version. */
export const invokeAdmin = (target: Target, payload: object): Promise<Answered> => {
  target.calls += 1;
  return callFrom({
    method: "POST",
    path: "/2015-03-31/functions/admin/invocations",
    port: target.invokePort,
    from: "127.0.0.1",
    body: JSON.stringify(payload),
  });
};

type Call = (request: Request, target?: Target) => Promise<Answered>;

export interface CallerOptions {
  /** Chooses the version for a call that does not name one. */
  chooseTarget: () => Target;
  differences: string[];
  onAnswer: (request: Request, answered: Answered) => void;
}

/** Calls the service, compares each response with the description of the API, and counts. */
export const createCaller = ({ chooseTarget, differences, onAnswer }: CallerOptions) => {
  const statuses = new Map<string, number>();
  const latencies: number[] = [];
  let failures = 0;
  let gatewayFailures = 0;

  const check = ({ method, path }: Request, answered: Answered, { assertDescribed }: Target) => {
    try {
      assertDescribed(method, path, answered);
    } catch (error) {
      differences.push(String(error));
    }
  };

  const call: Call = async (request, target = chooseTarget()) => {
    const answered = await callTarget(target, request);
    const { status, text } = answered;
    const name = status === 0 ? "no answer" : `${request.method} ${status}`;
    statuses.set(name, (statuses.get(name) ?? 0) + 1);
    if (status !== 0) latencies.push(answered.answeredAt - answered.calledAt);
    if (isFailure(answered)) failures += 1;
    onAnswer(request, answered);
    if (status === 500 && text === '{"message":"Internal Server Error"}') gatewayFailures += 1;
    else if (status !== 0) check(request, answered, target);
    return answered;
  };

  /** Repeats a call until the service itself responds: a thread may be killed in the meantime. */
  const callPatiently: Call = async (request, target) => {
    let answered = await call(request, target);
    for (let attempt = 1; attempt < 5 && isFailure(answered); attempt += 1) answered = await call(request, target);
    return answered;
  };

  return {
    call,
    callPatiently,
    statuses: () => Object.fromEntries([...statuses].toSorted()),
    calls: () => [...statuses.values()].reduce((sum, count) => sum + count, 0),
    answeredCalls: () => latencies.length,
    failures: () => failures,
    /** Calls with a response of the gateway itself, because their function was killed. */
    gatewayFailures: () => gatewayFailures,
    percentile(share: number): number {
      const sorted = latencies.toSorted((one, other) => one - other);
      return sorted[Math.floor(sorted.length * share)] ?? 0;
    },
  };
};

export type Caller = ReturnType<typeof createCaller>;

/** Whether the outcome of a call is unknown: there was no response, or it is a 5xx. */
export const isFailure = ({ status }: Answered): boolean => status === 0 || status >= 500;
