import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { FoundNotice } from "../../../lambdas/domain/notices/notice.ts";
import type { Channel } from "../../../lambdas/domain/notices/notices-table.ts";
import { connectSenders, NotSent } from "../../../lambdas/notices/channels.ts";
import { startAwsStub } from "../../support/aws-stub.ts";
import { freePort } from "../../support/free-port.ts";
import { stubCredentials } from "../support/dynamodb-stub.ts";

beforeEach(() => {
  stubCredentials();
  vi.stubEnv("AWS_DOMAIN", "invalid");
  vi.stubEnv("NOTICE_TOPIC_ARN", "arn:topic");
  vi.stubEnv("NOTICE_BUS_NAME", "bus");
  vi.stubEnv("BASE_URL", "https://example.com");
});
afterEach(() => void vi.unstubAllEnvs());

const noticeOf = (notice_id: string, found_at: string): FoundNotice => ({
  ...{ notice_id, kind: "token_unused", token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B", comment: 'ä & "😀"' },
  ...{ client: null, ip: null },
  details: { unused_since: "2026-01-01T00:00:00.000Z" },
  found_at,
});

const oneHourMs = 60 * 60 * 1000;
const recent = noticeOf("recent", new Date().toISOString());
const old = noticeOf("old", new Date(Date.now() - 2 * oneHourMs).toISOString());

/** Returns a channel's sender to an address. */
const senderTo = (url: string, channel: Channel) => {
  vi.stubEnv("AWS_ENDPOINT_URL_SNS", url);
  vi.stubEnv("AWS_ENDPOINT_URL_EVENTBRIDGE", url);
  const sender = connectSenders().find((one) => one.channel === channel);
  if (!sender) throw new Error(`nothing sends to the ${channel}`);
  return sender;
};

const answering = async (status: number, body: unknown) => {
  const stub = await startAwsStub(() => ({ status, body }));
  onTestFinished(stub.close);
  return stub;
};

test("a message has a sentence and a link per notice, and says when a delayed notice was found", async () => {
  const { url, requests } = await answering(200, {});
  expect(await senderTo(url, "topic").send([recent, old])).toEqual(new Set());
  const { TopicArn, Subject, Message = "" } = Object.fromEntries(new URLSearchParams(requests[0]?.body));
  expect({ TopicArn, Subject }).toEqual({ TopicArn: "arn:topic", Subject: "2 notices about tokens" });
  const [first, second, all] = Message.split("\n\n");
  const link = "\n  https://example.com/?token=01KAK3Y0V9QX8M4N2R7T5W1Y0B";
  expect(first).toMatch(/^- The token "ä & "😀"" \(01KAK3Y0V9QX8M4N2R7T5W1Y0B\) has not been used /);
  expect(first?.endsWith(link)).toBe(true);
  expect(second).toContain(`(Found at ${old.found_at}.)`);
  expect(first).not.toContain("Found at");
  expect(all).toBe("All tokens: https://example.com/");
});

test("reports as unsent only the events that the event bus rejected", async () => {
  const { url, requests } = await answering(200, { Entries: [{ EventId: "1" }, { ErrorCode: "ThrottlingException" }] });
  expect(await senderTo(url, "bus").send([recent, old])).toEqual(new Set(["old"]));
  const { Entries } = JSON.parse(requests[0]?.body ?? "");
  expect(JSON.parse(Entries[0].Detail)).toEqual(recent);
});

const channels: Channel[] = ["topic", "bus"];

test.each(channels)("reports messages that the %s rejects or that cannot be sent to it as unsent", async (channel) => {
  const { url, requests } = await answering(400, {});
  await expect(senderTo(url, channel).send([recent])).rejects.toThrow(NotSent);
  expect(requests).toHaveLength(1);
  await expect(senderTo(`http://127.0.0.1:${await freePort()}`, channel).send([recent])).rejects.toThrow(NotSent);
});

// An idle connection may end while the function is frozen.
test.each(channels)("uses a separate connection for each request to the %s", async (channel) => {
  const { url, requests } = await answering(200, { Entries: [{}] });
  const { send } = senderTo(url, channel);
  for (let times = 0; times < 2; times += 1) await send([recent]);
  expect(requests.map(({ headers }) => headers.connection)).toEqual(["close", "close"]);
});

test.for([
  [503, true],
  [500, false],
] as const)("does not retry after a %d, and reports that nothing was sent: %s", async ([status, isClear]) => {
  const { url, requests } = await answering(status, {});
  const failure = senderTo(url, "topic").send([recent]);
  expect(await failure.catch((error: unknown) => error instanceof NotSent)).toBe(isClear);
  expect(requests).toHaveLength(1);
});

test.each(channels)("reports messages that the %s received without responding as possibly sent", async (channel) => {
  const { url, close } = await startAwsStub(() => null);
  onTestFinished(close);
  const sending = senderTo(url, channel).send([recent]);
  await expect(sending).rejects.toBeInstanceOf(Error);
  await expect(sending).rejects.not.toBeInstanceOf(NotSent);
});
