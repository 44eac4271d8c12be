import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { LogSubscription } from "../assembly/log-subscriptions.ts";
import type { InvokeByArn, Outcome } from "../lambda/outcome.ts";
import { messageOf } from "../support/local-error.ts";

/** The log that a text was written to. */
interface LogSource {
  logGroup: string;
  logStream: string;
}

/** Delivers what functions log to the functions that subscribe to it, as CloudWatch Logs does. */
export interface LogFeed {
  /** Returns a function that takes the texts of a source. */
  takerOf: (source: LogSource) => (text: string) => void;
  /** Replaces the subscriptions. Texts taken before still go to the earlier ones. */
  subscribe: (subscriptions: LogSubscription[], invoke: InvokeByArn) => void;
  /** Delivers everything taken so far and waits until it has arrived or been given up. */
  flush: () => Promise<void>;
  /** Delivers everything as `flush` does, but within the given time, and repeats a failed delivery once, without a wait. */
  close: (graceMilliseconds: number) => Promise<void>;
}

interface LogFeedOptions {
  accountId: string;
  /** The time of the functions. */
  now: () => number;
  log: (text: string) => void;
  /** For how long lines are gathered for one delivery. */
  gatheringMilliseconds?: number;
  /** The waits before a failed delivery is repeated. Lambda waits one minute and then two. */
  retryMilliseconds?: number[];
}

interface Gathered {
  source: LogSource;
  texts: { timestamp: number; text: string }[];
}

interface Delivery {
  /** What is delivered, for use inside a sentence. */
  what: string;
  /** The ARN of the function. */
  destination: string;
  /** Resolves with the outcome, or with undefined if there is no such function. */
  send: () => Promise<Outcome | undefined>;
}

const noSuchFunction = "there is no such function";

const compress = promisify(gzip);

/** Makes the feed. Taking a text only appends to a list, so that it costs a request nothing; the rest happens later. */
export const createLogFeed = ({
  accountId,
  now,
  log,
  gatheringMilliseconds = 1000,
  retryMilliseconds = [1000, 2000],
}: LogFeedOptions): LogFeed => {
  let subscriptions: LogSubscription[] = [];
  let invoke: InvokeByArn = () => undefined;
  const gathered = new Set<Gathered>();
  const underWay = new Set<Promise<void>>();
  const nextId = createEventIds();
  let timer: NodeJS.Timeout | undefined;
  const closing = new AbortController();

  const deliverGathered = () => {
    clearTimeout(timer);
    timer = undefined;
    const deliveries = [...gathered].flatMap(({ source, texts }) => {
      const events = eventsOf(texts.splice(0));
      return subscriptions
        .filter(({ logGroup }) => logGroup === source.logGroup)
        .map((subscription) => deliveryOf(subscription, { source, events, invoke }));
    });
    gathered.clear();
    track(inTurn(deliveries.filter((delivery) => delivery !== undefined)));
  };

  const track = (work: Promise<void>): void => {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  };

  /** Makes one delivery after another: for several at once, the subscriber would start several threads. */
  const inTurn = async (deliveries: Delivery[]): Promise<void> => {
    for (const delivery of deliveries) {
      const problem = await attempt(delivery);
      // The repetition must not delay the other deliveries.
      if (problem !== undefined) track(repeat(delivery, problem));
    }
  };

  const eventsOf = (texts: Gathered["texts"]) =>
    texts.flatMap(({ timestamp, text }) =>
      text.split("\n").flatMap((message) => {
        const line = jsonOf(message);
        // Observed: the line feed that ends a line is part of the message.
        return line === undefined ? [] : [{ line, event: { id: nextId(), timestamp, message: `${message}\n` } }];
      }),
    );

  const deliveryOf = (
    { name, matches, destination }: LogSubscription,
    { source, events, invoke }: { source: LogSource; events: ReturnType<typeof eventsOf>; invoke: InvokeByArn },
  ): Delivery | undefined => {
    const logEvents = events.filter(({ line }) => matches(line)).map(({ event }) => event);
    if (logEvents.length === 0) return undefined;
    const about = { messageType: "DATA_MESSAGE", owner: accountId, ...source, subscriptionFilters: [name] };
    return {
      what: `${logEvents.length} lines of ${source.logGroup}`,
      destination,
      async send() {
        const data = (await compress(JSON.stringify({ ...about, logEvents }))).toString("base64");
        return invoke(destination, JSON.stringify({ awslogs: { data } }));
      },
    };
  };

  /** Undefined once the delivery has arrived, otherwise the reason why it has not. */
  const attempt = async ({ send }: Delivery): Promise<string | undefined> => {
    try {
      const outcome = await send();
      if (outcome === undefined) return noSuchFunction;
      return outcome.failed ? outcome.payload : undefined;
    } catch (error) {
      return messageOf(error);
    }
  };

  const repeat = async (delivery: Delivery, firstProblem: string): Promise<void> => {
    let problem: string | undefined = firstProblem;
    for (const milliseconds of firstProblem === noSuchFunction ? [] : retryMilliseconds) {
      // When the run is closed, the last attempt follows at once.
      const isClosing = await wait(milliseconds, false, { signal: closing.signal }).catch(() => true);
      problem = await attempt(delivery);
      if (problem === undefined) return;
      if (isClosing) break;
    }
    log(`CloudWatch Logs: ${delivery.what} did not reach ${delivery.destination}: ${problem}`);
  };

  const flush = async (): Promise<void> => {
    deliverGathered();
    // A delivery that fails starts its own repetition, which is also waited for.
    while (underWay.size > 0) await Promise.all(underWay);
  };

  return {
    takerOf(source) {
      const own: Gathered = { source, texts: [] };
      return (text) => {
        if (!subscriptions.some(({ logGroup }) => logGroup === source.logGroup)) return;
        own.texts.push({ timestamp: now(), text });
        gathered.add(own);
        timer ??= setTimeout(deliverGathered, gatheringMilliseconds).unref();
      };
    },
    subscribe(...next) {
      deliverGathered();
      [subscriptions, invoke] = next;
    },
    flush,
    async close(graceMilliseconds) {
      closing.abort();
      const isLate = await Promise.race([flush().then(() => false), wait(graceMilliseconds, true, { ref: false })]);
      if (isLate) log("CloudWatch Logs: not everything had been delivered when the run was closed.");
    },
  };
};

/** Makes a function that returns ids of log events: 56 digits, as in CloudWatch Logs (documented by example). */
const createEventIds = (): (() => string) => {
  const run = BigInt(`0x${randomUUID().replaceAll("-", "")}`)
    .toString()
    .padStart(39, "0");
  let count = 0;
  return () => {
    count += 1;
    return `3${run}${String(count).padStart(16, "0")}`;
  };
};

/** Undefined for a line that is not JSON: filters for JSON match no such line. */
const jsonOf = (message: string): unknown => {
  if (!message.startsWith("{")) return undefined;
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
};
