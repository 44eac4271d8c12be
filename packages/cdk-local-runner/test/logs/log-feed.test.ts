import { setTimeout } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { readFilterPattern } from "../../src/assembly/log-subscriptions.ts";
import { createLogFeed } from "../../src/logs/log-feed.ts";

const source = { logGroup: "requests", logStream: "one" };

interface LogEvent {
  id: string;
  message: string;
}

const contentOf = (payload: string) =>
  JSON.parse(gunzipSync(Buffer.from(JSON.parse(payload).awslogs.data, "base64")).toString());

const eventsIn = (payload: string): LogEvent[] => contentOf(payload).logEvents;

/** Creates a feed whose function may fail, and records what is delivered to it. */
const feedTo = ({ fails = false, gatheringMilliseconds = 5 } = {}) => {
  const payloads: string[] = [];
  const said: string[] = [];
  const feed = createLogFeed({
    // A clock that is a day ahead.
    now: () => Date.now() + 86_400_000,
    accountId: "123456789012",
    log: (text) => said.push(text),
    gatheringMilliseconds,
  });
  const matches = readFilterPattern("{ $.good IS TRUE }");
  feed.subscribe([{ name: "good", logGroup: "requests", destination: "usage", matches }], async (_, payload) => {
    payloads.push(payload);
    return { requestId: "r", payload: fails ? "no room" : "null", failed: fails, log: "", durationMilliseconds: 0 };
  });
  onTestFinished(() => feed.close(0));
  const deliveries = () => payloads.map(eventsIn);
  return { feed, said, payloads, deliveries };
};

const good = (number: number) => `{"good":true,"number":${number}}`;

// The format is documented: docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html. LocalStack's
// tests/aws/services/logs/test_logs_subscription_filters.snapshot.json (February 2026) recorded ids that consist of digits. That a
// message ends with a line feed was observed in test_invocation_with_logs in its
// tests/aws/services/lambda_/test_lambda.snapshot.json.
test("delivers lines in the format of CloudWatch Logs, with times from the functions' clock", async () => {
  const { feed, payloads } = feedTo();
  const before = Date.now() + 86_400_000;
  feed.takerOf(source)(`${good(1)}\n`);
  await feed.close(1_000);

  expect(payloads.map(contentOf)).toEqual([
    {
      messageType: "DATA_MESSAGE",
      owner: "123456789012",
      logGroup: "requests",
      logStream: "one",
      subscriptionFilters: ["good"],
      logEvents: [{ id: expect.stringMatching(/^\d{56}$/), timestamp: expect.any(Number), message: `${good(1)}\n` }],
    },
  ]);
  expect(contentOf(payloads[0] ?? "").logEvents[0].timestamp).toBeGreaterThanOrEqual(before);
});

describe("what is written to a log", () => {
  test("is delivered together with later lines, except for lines that the filter excludes", async () => {
    const { feed, deliveries } = feedTo();
    const take = feed.takerOf(source);
    take(`${good(1)}\nSTART RequestId: 1\n{"good":false}\n`);
    take(`${good(2)}\n`);

    const messages = () => deliveries().map((events) => events.map(({ message }) => message));
    await expect.poll(messages).toEqual([[`${good(1)}\n`, `${good(2)}\n`]]);
    const ids = deliveries().flatMap((events) => events.map(({ id }) => id));
    expect(new Set(ids).size).toBe(2);
  });

  test("is collected only from subscribed logs", async () => {
    const { feed, deliveries } = feedTo();
    feed.takerOf({ ...source, logGroup: "usage" })(good(1));
    await feed.close(1_000);

    expect(deliveries()).toEqual([]);
  });

  test("goes to the functions that were subscribed when it was written", async () => {
    const { feed, deliveries } = feedTo({ gatheringMilliseconds: 60_000 });
    const take = feed.takerOf(source);
    take(good(1));
    feed.subscribe([], () => undefined);
    take(good(2));
    await feed.close(1_000);

    expect(
      deliveries()
        .flat()
        .map(({ message }) => message),
    ).toEqual([`${good(1)}\n`]);
  });

  test("is lost if the function fails, and a message says so", async () => {
    const { feed, deliveries, said } = feedTo({ fails: true });
    feed.takerOf(source)(good(1));
    await feed.flush();

    expect(said).toEqual([expect.stringContaining("1 lines of requests did not reach usage: no room")]);
    expect(deliveries()).toHaveLength(1);
  });

  test("is lost if the function does not exist, and a message says so", async () => {
    const { feed, said } = feedTo();
    const matches = readFilterPattern("{ $.good IS TRUE }");
    feed.subscribe([{ name: "good", logGroup: "requests", destination: "gone", matches }], () => undefined);
    feed.takerOf(source)(`${good(1)}\n`);
    await feed.flush();

    expect(said).toEqual([expect.stringContaining("did not reach gone: there is no such function")]);
  });

  test("is delivered one log after another", async () => {
    const { feed } = feedTo();
    const events: string[] = [];
    const matches = readFilterPattern("{ $.good IS TRUE }");
    const subscriptions = ["one", "two"].map((logGroup) => ({ name: "good", logGroup, destination: "usage", matches }));
    feed.subscribe(subscriptions, async (_, payload) => {
      const { logGroup } = contentOf(payload);
      events.push(`${logGroup} begins`);
      await setTimeout(5);
      events.push(`${logGroup} ends`);
      return { requestId: "r", payload: "null", failed: false, log: "", durationMilliseconds: 0 };
    });
    for (const logGroup of ["one", "two"]) feed.takerOf({ logGroup, logStream: "one" })(good(1));
    await feed.flush();

    expect(events).toEqual(["one begins", "one ends", "two begins", "two ends"]);
  });
});
