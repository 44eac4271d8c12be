import { once } from "node:events";
import { Agent, type IncomingMessage, request as send } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Description } from "../../../../test/kit/contract/description.ts";
import { responseContract } from "../../../../test/kit/contract/response-contract.ts";

/** A running version of the service. */
export interface Target {
  port: number;
  /** The port of its Invoke API. */
  invokePort: number;
  /** Asserts that a response matches the version's description, and throws if it does not. */
  assertDescribed: ReturnType<typeof responseContract>["assertDescribed"];
  /** The number of calls to this version. */
  calls: number;
}

export const targetOf = (ports: Pick<Target, "port" | "invokePort">, description: Description): Target => ({
  ...ports,
  assertDescribed: responseContract(description).assertDescribed,
  calls: 0,
});

export interface Request {
  method: string;
  path: string;
  /** The loopback address to call from. */
  from: string;
  token: string;
  form?: Record<string, string>;
}

export interface Answered {
  /** The status, or 0 if the connection broke before there was a response. */
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
  calledAt: number;
  answeredAt: number;
}

interface Outgoing {
  port: number;
  method: string;
  path: string;
  localAddress?: string;
  headers?: Record<string, string>;
}

const agent = new Agent({ keepAlive: false });
const timeoutMs = 60_000;

const exchange = async (options: Outgoing, body?: string): Promise<Answered> => {
  const calledAt = Date.now();
  try {
    const outgoing = send({ host: "127.0.0.1", agent, signal: AbortSignal.timeout(timeoutMs), ...options });
    outgoing.on("error", () => {}).end(body);
    const [response]: IncomingMessage[] = await once(outgoing, "response");
    if (!response?.statusCode) throw new Error("There is no response.");
    const { statusCode: status } = response;
    const headers = response.headers as Answered["headers"];
    return { status, headers, text: await textOf(response), calledAt, answeredAt: Date.now() };
  } catch {
    return { status: 0, headers: {}, text: "", calledAt, answeredAt: Date.now() };
  }
};

/** Invokes the admin function of a version. */
export const invokeAdmin = (target: Target, payload: object): Promise<Answered> => {
  target.calls += 1;
  const path = "/2015-03-31/functions/admin/invocations";
  return exchange({ method: "POST", path, port: target.invokePort }, JSON.stringify(payload));
};

/** Checks whether the effect of a call is unknown because there was no response or a 5xx. This applies to invocations too. */
export const isFailure = ({ status, text }: Answered): boolean =>
  status === 0 || status >= 500 || /^\{"errorType":"(unavailable|internal_error|Runtime\.|Sandbox\.)/.test(text);

export type Fields = Record<string, unknown>;

/** The response to a call that was retried until it had one. */
export interface Reply {
  /** The status, or the code of a rejection. */
  outcome: unknown;
  body: Fields;
  answered: Answered;
  /** Whether an earlier attempt may have taken effect. */
  isRepeated: boolean;
}

/** The number of retries while nothing listens, and how many retries a failure of the service counts for. */
const patience = 300;
const patiencePerFailure = 30;
const pauseMs = 100;

/** Retries a call until the service responds, because something may be killed or the machine may be busy. */
export const patiently = async (call: () => Promise<Answered>): Promise<Reply> => {
  let answered = await call();
  let spent = 0;
  while (isFailure(answered) && spent < patience) {
    spent += answered.status === 0 ? 1 : patiencePerFailure;
    await sleep(pauseMs);
    answered = await call();
  }
  const { status, text } = answered;
  const body: Fields = text.startsWith("{") ? JSON.parse(text) : {};
  const outcome = body.errorType ?? (status < 400 ? status : body.code);
  return { outcome, body, answered, isRepeated: spent > 0 };
};

/** Calls versions of the service, checks each response against the description of the API, and counts the calls. */
export const createCaller = (problems: string[]) => {
  const statuses: Record<string, number> = {};
  let answeredCalls = 0;
  let gatewayFailures = 0;

  return {
    async call(target: Target, { method, path, from, token, form }: Request): Promise<Answered> {
      target.calls += 1;
      const headers = {
        accept: "application/json",
        "x-token": token,
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      };
      const outgoing = { method, path, port: target.port, localAddress: from, headers };
      const answered = await exchange(outgoing, form && new URLSearchParams(form).toString());
      const { status, text } = answered;
      const name = status === 0 ? "no response" : `${method} ${status}`;
      statuses[name] = (statuses[name] ?? 0) + 1;
      if (status === 0) return answered;
      answeredCalls += 1;
      // The gateway itself sends this response if the function was killed.
      if (status === 500 && text === '{"message":"Internal Server Error"}') gatewayFailures += 1;
      else {
        try {
          target.assertDescribed(method, path, answered);
        } catch (error) {
          problems.push(String(error));
        }
      }
      return answered;
    },
    answeredCalls: () => answeredCalls,
    gatewayFailures: () => gatewayFailures,
    statuses: () => Object.fromEntries(Object.entries(statuses).toSorted()),
  };
};

export type Caller = ReturnType<typeof createCaller>;
