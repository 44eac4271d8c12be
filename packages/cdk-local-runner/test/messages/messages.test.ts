import { expect, test } from "vitest";
import { describeSent, type SentMessage } from "../../src/messages/sent.ts";
import { noticeAssembly } from "../support/notice-assembly.ts";
import { sharedService } from "../support/services.ts";

const service = sharedService(async (directory) => ({ assembly: noticeAssembly(directory) }));

/** Returns the SDK response or error that a function gets. */
const send = async (event: object, functionName = "daily") =>
  JSON.parse((await service().invoke(functionName, event)).payload);

const entry = (more: object = {}) => ({
  Source: "app",
  DetailType: "d",
  Detail: '{"a":1}',
  EventBusName: "notices",
  ...more,
});

const publish = (more: object = {}) => ({ publish: { Message: "m", ...more } });

const control = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${service().invokeUrl}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
};

test("gives a published message an id, prints it, and lists it", async () => {
  const { MessageId } = await send({
    publish: { Subject: "Über & <all>".slice(5), Message: "First line\nsecond: ü & <b>" },
  });

  const sent = service()
    .sent()
    .find(({ id }) => id === MessageId);
  expect(sent).toMatchObject({
    service: "sns",
    function_name: "daily",
    topic_arn: "arn:aws:sns:us-east-1:000000000000:Notices",
    subscribers: ["email ops@example.com"],
    subject: "& <all>",
    message: "First line\nsecond: ü & <b>",
  });
  expect(service().logged()).toContain(
    "Sent by daily to the topic Notices (email ops@example.com):\n  | Subject: & <all>\n  |\n  | First line\n  | second: ü & <b>\n",
  );
  expect(await control("GET", "/sent")).toContainEqual(sent);
});

test("handles each entry of PutEvents separately", async () => {
  const { FailedEntryCount, Entries } = await send({
    entries: [
      entry({ Time: "2026-11-22T10:00:00.500Z", Resources: ["r"] }),
      entry({ Detail: "no JSON" }),
      entry({ Detail: "[]" }),
      entry({ DetailType: undefined }),
    ],
  });

  expect(FailedEntryCount).toBe(3);
  expect(Entries.map(({ ErrorCode = "" }) => ErrorCode)).toEqual([
    "",
    "MalformedDetail",
    "MalformedDetail",
    "InvalidArgument",
  ]);
  expect(
    service()
      .sent()
      .filter(({ id }) => id === Entries[0].EventId),
  ).toMatchObject([
    { service: "events", bus: "notices", source: "app", detail_type: "d", detail: { a: 1 }, resources: ["r"] },
  ]);
  expect(service().logged()).toContain('Sent by daily to the event bus notices: d (app) {"a":1}\n');
});

const long = (bytes: number) => "ü".repeat(bytes / 2);
const tooLong = JSON.stringify(long(262_144));

test.for<[string, object, string, RegExp]>([
  ["a subject of 101 characters", publish({ Subject: "a".repeat(101) }), "InvalidParameter", /Subject/],
  ["a subject beyond ASCII", publish({ Subject: "Über" }), "InvalidParameter", /Subject/],
  ["a subject of two lines", publish({ Subject: "a\nb" }), "InvalidParameter", /Subject/],
  ["an empty message", publish({ Message: "" }), "InvalidParameter", /Empty message/],
  ["a message of 262,146 bytes", publish({ Message: long(262_146) }), "InvalidParameter", /too long/],
  ["eleven entries", { entries: Array(11).fill(entry()) }, "ValidationException", /equal to 10/],
  ["entries of more than 256 KB", { entries: [entry({ Detail: tooLong })] }, "ValidationException", /over the limit/],
])("rejects %s with AWS's error", async ([, event, error, message]) => {
  expect(await send(event)).toEqual({ error: expect.stringContaining(error), message: expect.stringMatching(message) });
});

test("accepts the longest subject and the longest message that AWS accepts", async () => {
  expect(await send({ publish: { Subject: "a".repeat(100), Message: long(262_144) } })).toHaveProperty("MessageId");
  expect((await send({ entries: Array.from({ length: 10 }, () => entry()) })).FailedEntryCount).toBe(0);
});

const denied = "AccessDeniedException";
const mayNotPublish = /role\/other\/other is not authorized to perform: SNS:Publish on resource: \S+:Notices because/;
const mayNotPut = /perform: events:PutEvents on resource: \S+:event-bus\/notices because/;

test.for<[string, string, object, string, RegExp]>([
  ["publish", "other", publish(), "AuthorizationError", mayNotPublish],
  ["send events", "other", { entries: [entry()] }, denied, mayNotPut],
  ["send events of another source", "daily", { entries: [entry({ Source: "else" })] }, denied, /events:PutEvents/],
  ["send to another bus", "daily", { entries: [entry({ EventBusName: undefined })] }, denied, /event-bus\/default/],
])("rejects a function whose role does not allow it to %s", async ([, functionName, event, error, message]) => {
  const before = service().sent().length;
  expect(await send(event, functionName)).toEqual({
    error: expect.stringContaining(error),
    message: expect.stringMatching(message),
  });
  expect(service().sent()).toHaveLength(before);
});

test("records the permissions that functions use to send messages", async () => {
  await send(publish());
  await send({ entries: [entry()] });
  expect(await service().usedRights()).toEqual(
    expect.arrayContaining([
      { functionName: "daily", action: "sns:Publish", resource: "arn:aws:sns:us-east-1:000000000000:Notices" },
      {
        functionName: "daily",
        action: "events:PutEvents",
        resource: "arn:aws:events:us-east-1:000000000000:event-bus/notices",
      },
    ]),
  );
});

test("does not let web pages send or read messages or move the clock", async () => {
  for (const [method, path] of [
    ["POST", "/"],
    ["GET", "/sent"],
    ["POST", "/clock"],
  ] as const) {
    const headers = { origin: "https://page.example", "content-type": "application/x-www-form-urlencoded" };
    const { status } = await fetch(`${service().invokeUrl}${path}`, { method, headers });
    expect(status, path).toBe(403);
  }
});

test("rejects an invalid time with the reason", async () => {
  expect(await control("POST", "/clock", { days: -1 })).toMatchObject({ message: expect.stringContaining("days") });
  expect(await control("POST", "/clock", { weeks: 1 })).toMatchObject({ message: expect.stringContaining("weeks") });
});

const message = (id: string): SentMessage => ({
  service: "sns",
  id,
  sent_at: "2026-11-22T06:00:00.000Z",
  function_name: "f",
  topic_arn: "t",
  subscribers: [],
  subject: null,
  message: "ü\nsecond",
});

test("prints messages without letting them control the terminal", () => {
  const shown = describeSent({ ...message("1"), subject: "\u001b[2J", message: "a\u202eb\rc\nd" });

  expect(shown).toBe(
    "Sent by f to the topic t (no subscribers):\n  | Subject: \\u{1b}[2J\n  |\n  | a\\u{202e}b\\u{d}c\n  | d\n",
  );
});
