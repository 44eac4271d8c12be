import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { LogSubscription } from "../assembly/log-subscriptions.ts";
import type { InvokeByArn, Outcome } from "../lambda/outcome.ts";
import { jsonOrUndefined } from "../support/json.ts";
import { messageOf } from "../support/local-error.ts";

/** The log that text was written to. */
interface LogSource {
  logGroup: string;
  logStream: string;
}

/** Delivers the functions' log output to the functions that subscribe to it, like CloudWatch Logs. */
export interface LogFeed {
  /** Returns a function that receives the text of a source. */
  takerOf: (source: LogSource) => (text: string) => void;
  /** Replaces the subscriptions. Text received before still goes to the previous subscribers. */
  subscribe: (subscriptions: LogSubscription[], invoke: InvokeByArn) => void;
  /** Delivers everything received so far and waits until it has arrived or failed. */
  flush: () => Promise<void>;
  /** Delivers everything like `flush`, but within the given time. */
  close: (graceMilliseconds: number) => Promise<void>;
}

interface LogFeedOptions {
  accountId: string;
  /** The functions' time. */
  now: () => number;
  log: (text: string) => void;
  /** How long lines are collected for one delivery. */
  gatheringMilliseconds?: number;
}

interface Gathered {
  source: LogSource;
  texts: { timestamp: number; text: string }[];
}

const compress = promisify(gzip);

/** Creates the feed. Receiving text only appends to a list, so that it doesn't slow requests down. The rest happens later. */
export const createLogFeed = ({ accountId, now, log, gatheringMilliseconds = 1000 }: LogFeedOptions): LogFeed => {
  let subscriptions: LogSubscription[] = [];
  let invoke: InvokeByArn = () => undefined;
  const gathered = new Set<Gathered>();
  let delivering = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const deliverGathered = () => {
    clearTimeout(timer);
    timer = undefined;
    const to = invoke;
    const deliveries = [...gathered].flatMap(({ source, texts }) => {
      const events = eventsOf(texts.splice(0));
      return subscriptions
        .filter(({ logGroup }) => logGroup === source.logGroup)
        .map((subscription) => () => deliver(subscription, { source, events, to }));
    });
    gathered.clear();
    // Delivers one batch at a time, because several at once would make the subscriber start several threads.
    delivering = delivering.then(async () => {
      for (const deliverNext of deliveries) await deliverNext();
    });
  };

  const eventsOf = (texts: Gathered["texts"]) =>
    texts.flatMap(({ timestamp, text }) =>
      text.split("\n").flatMap((message) => {
        // Filters for JSON match no other lines.
        const line = message.startsWith("{") ? jsonOrUndefined(message) : undefined;
        // Observed: the message includes the line feed at the end of the line.
        return line === undefined ? [] : [{ line, event: { id: newEventId(), timestamp, message: `${message}\n` } }];
      }),
    );

  const deliver = async (
    { name, matches, destination }: LogSubscription,
    { source, events, to }: { source: LogSource; events: ReturnType<typeof eventsOf>; to: InvokeByArn },
  ): Promise<void> => {
    const logEvents = events.filter(({ line }) => matches(line)).map(({ event }) => event);
    if (logEvents.length === 0) return;
    const about = { messageType: "DATA_MESSAGE", owner: accountId, ...source, subscriptionFilters: [name] };
    const problem = await problemOf(async () => {
      const data = (await compress(JSON.stringify({ ...about, logEvents }))).toString("base64");
      return to(destination, JSON.stringify({ awslogs: { data } }));
    });
    if (problem === undefined) return;
    log(`CloudWatch Logs: ${logEvents.length} lines of ${source.logGroup} did not reach ${destination}: ${problem}`);
  };

  const flush = (): Promise<void> => {
    deliverGathered();
    return delivering;
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
      const isLate = await Promise.race([flush().then(() => false), wait(graceMilliseconds, true, { ref: false })]);
      if (isLate) log("CloudWatch Logs: not everything had been delivered when the run was closed.");
    },
  };
};

/** Returns why an invocation failed, or undefined if it succeeded. */
const problemOf = async (invoke: () => Promise<Outcome | undefined>): Promise<string | undefined> => {
  try {
    const outcome = await invoke();
    if (outcome === undefined) return "there is no such function";
    return outcome.failed ? outcome.payload : undefined;
  } catch (error) {
    return messageOf(error);
  }
};

/** Creates the id of a log event: 56 digits, as in CloudWatch Logs (documented by example). */
const newEventId = (): string =>
  BigInt(`0x${randomBytes(23).toString("hex")}`)
    .toString()
    .padStart(56, "0");
