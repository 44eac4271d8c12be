import { expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { jobsWith } from "../../../lambdas/declaration/job.ts";
import { serveJob } from "../../../lambdas/job/serve-job.ts";
import { ApiError } from "../../../lambdas/shared/errors/api-error.ts";
import { lambdaContext } from "../../../tools/support/events.ts";
import { declareLost } from "../../fixtures/library/loans/declare-lost.ts";
import { callJob } from "../../kit/call-handler.ts";
import { captureLog } from "../support/outcomes.ts";

for (const name of ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "test");

/** Runs a job that remembers its events, and fails for one of them. */
const runWith = async (event: unknown) => {
  const handled: number[] = [];
  const job = jobsWith({ tables: {}, errors: {} })({
    summary: "Remembers numbers",
    event: z.object({ number: z.number() }),
    uses: {},
    handler: async ({ event: { number } }) => {
      if (number === 13) throw new ApiError("unavailable", { cause: new Error("The database is asleep.") });
      handled.push(number);
    },
  });
  const log = captureLog();
  const outcome = await serveJob(job, { tables: {} })(event, lambdaContext).catch(String);
  // Whatever fails is logged with its cause.
  if (outcome === undefined) expect(log.text()).toBe("");
  else expect(log.lines()).toMatchObject([{ message: "job_failed", cause: expect.stringContaining(outcome) }]);
  return { handled, outcome };
};

const deliveryOf = (...bodies: string[]) => ({ Records: bodies.map((body) => ({ eventSource: "aws:sqs", body })) });

test.each([
  ["an event", { number: 1, other: true }, { handled: [1], outcome: undefined }],
  ["each message of a queue", deliveryOf('{"number":1}', '{"number":2}'), { handled: [1, 2], outcome: undefined }],
  [
    "messages up to the one that fails, so that the queue repeats them",
    deliveryOf('{"number":1}', '{"number":13}', '{"number":2}'),
    { handled: [1], outcome: "Error: The database is asleep." },
  ],
  [
    "no event that its schema rejects",
    { number: "one" },
    { handled: [], outcome: 'Error: The event is invalid: {"number":["The number must be a number."]}' },
  ],
  [
    "no records of another kind",
    { Records: [{ eventSource: "aws:s3" }] },
    { handled: [], outcome: expect.stringContaining("invalid") },
  ],
  [
    "no message that is not JSON, without quoting it",
    deliveryOf("a secret"),
    { handled: [], outcome: "Error: A message of the queue is not JSON." },
  ],
])("a job handles %s", async (_, event, expected) => {
  expect(await runWith(event)).toEqual(expected);
});

test("callJob makes a job's changes with its settings, on the given records", async () => {
  const lent = { books: [{ state: "lent", reader: "Mary" }], loans: [{}] };

  expect(await callJob(declareLost, { records: lent, settings: { lost_fee: 30 } })).toMatchObject({
    books: [{ state: "lost", reader: null }],
    loans: [{ fee: 30 }],
  });
  expect(await callJob(declareLost, { records: { ...lent, books: [{ state: "available" }] } })).toMatchObject({
    books: [{ state: "available" }],
    loans: [{ fee: 0 }],
  });
  // @ts-expect-error The event has another field.
  await expect(callJob(declareLost, { event: { book: "1" }, records: lent })).rejects.toThrow("The book_id field");
});
