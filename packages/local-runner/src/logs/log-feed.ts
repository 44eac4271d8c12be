import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { LogSubscription } from "../assembly/log-subscriptions.ts";
import type { InvokeByArn } from "../lambda/outcome.ts";
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
  /** Delivers everything taken so far and waits for the deliveries, but at most for the given time. */
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
    for (const { source, texts } of gathered) {
      const events = eventsOf(texts.splice(0));
      for (const subscription of subscriptions.filter(({ logGroup }) => logGroup === source.logGroup)) {
        const delivery = deliver(subscription, { source, events, invoke });
        underWay.add(delivery);
        void delivery.finally(() => underWay.delete(delivery));
      }
    }
    gathered.clear();
  };

  const eventsOf = (texts: Gathered["texts"]) =>
    texts.flatMap(({ timestamp, text }) =>
      text.split("\n").flatMap((message) => {
        const line = jsonOf(message);
        // Observed: the line feed that ends a line is part of the message.
        return line === undefined ? [] : [{ line, event: { id: nextId(), timestamp, message: `${message}\n` } }];
      }),
    );

  const deliver = async (
    { name, matches, destination }: LogSubscription,
    { source, events, invoke }: { source: LogSource; events: ReturnType<typeof eventsOf>; invoke: InvokeByArn },
  ): Promise<void> => {
    const logEvents = events.filter(({ line }) => matches(line)).map(({ event }) => event);
    if (logEvents.length === 0) return;
    const about = { messageType: "DATA_MESSAGE", owner: accountId, ...source, subscriptionFilters: [name] };
    const data = (await compress(JSON.stringify({ ...about, logEvents }))).toString("base64");
    const problem = await arrive(() => invoke(destination, JSON.stringify({ awslogs: { data } })));
    if (problem !== undefined) {
      log(`CloudWatch Logs: ${logEvents.length} lines of ${source.logGroup} did not reach ${destination}: ${problem}`);
    }
  };

  /** Undefined once the delivery has arrived, otherwise the reason why the last attempt failed. */
  const arrive = async (attempt: () => ReturnType<InvokeByArn>): Promise<string | undefined> => {
    let problem: string | undefined;
    for (const milliseconds of [0, ...retryMilliseconds]) {
      // When the run is closed, the remaining attempts follow at once.
      if (milliseconds > 0) await wait(milliseconds, undefined, { signal: closing.signal }).catch(() => {});
      const outcome = await Promise.resolve(attempt()).catch((error: unknown) => messageOf(error));
      if (outcome === undefined) return "there is no such function";
      if (typeof outcome === "object" && !outcome.failed) return undefined;
      problem = typeof outcome === "object" ? outcome.payload : outcome;
      if (closing.signal.aborted) break;
    }
    return problem;
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
    async close(graceMilliseconds) {
      closing.abort();
      deliverGathered();
      const all = Promise.all(underWay);
      const isLate = await Promise.race([all.then(() => false), wait(graceMilliseconds, true, { ref: false })]);
      if (isLate) log(`CloudWatch Logs: ${underWay.size} deliveries were still under way when the run was closed.`);
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
