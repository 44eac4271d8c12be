import * as z from "zod/mini";
import type { Job } from "../declaration/job.ts";
import { createStores, type StoresOptions } from "../domain/create-stores.ts";
import { withinInvocation } from "../dynamodb/client/deadline.ts";
import type { Tables, UsesOf } from "../dynamodb/uses.ts";
import { ApiError } from "../shared/errors/api-error.ts";
import { describeCause, log } from "../shared/log.ts";
import { wordIssue } from "../shared/validation/issue-words.ts";
import { validate } from "../shared/validation/validate.ts";

type RunnableJob = Pick<Job, "event" | "uses" | "handler">;

interface JobOptions extends StoresOptions {
  /** The tables that the job uses. */
  tables: Tables;
}

/**
 * Creates the Lambda handler of a job. It handles the messages of a queue one after the other, and any other event as it is. If an
 * event fails, the invocation fails, so that the queue or Lambda repeats it.
 */
export const serveJob = (job: RunnableJob, { tables, ...options }: JobOptions) => {
  const work = workOfJob(job, createStores<Tables, UsesOf<Tables>>(job.uses as UsesOf<Tables>, tables, options));
  return withinInvocation(async (event: unknown): Promise<void> => {
    try {
      for (const one of eventsIn(event)) await work(one);
    } catch (error) {
      // Lambda's own line does not have the cause of an error.
      log("error", { message: "job_failed", cause: describeCause(error) });
      throw error;
    }
  });
};

/**
 * Returns the handler of a job with its stores.
 *
 * @throws {Error} what the handler throws; for an error of the database, its cause; for an invalid event, its problems.
 */
export const workOfJob = ({ event: schema, handler }: RunnableJob, stores: object) => {
  return async (event: unknown): Promise<void> => {
    const result = validate(schema, event, { words: wordIssue, whole: "event" });
    if (!result.valid) throw new Error(`The event is invalid: ${JSON.stringify(result.fields)}`);
    try {
      await handler({ event: result.value }, stores);
    } catch (error) {
      throw error instanceof ApiError && error.cause instanceof Error ? error.cause : error;
    }
  };
};

const queueDelivery = z.object({
  Records: z.array(z.object({ eventSource: z.literal("aws:sqs"), body: z.string() })),
});

/** Returns the messages of a queue's delivery, or else the event itself. */
const eventsIn = (event: unknown): unknown[] => {
  const { data } = z.safeParse(queueDelivery, event);
  return data?.Records.map(({ body }) => parsed(body)) ?? [event];
};

/** The error of the parser would quote the message. */
const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error("A message of the queue is not JSON.");
  }
};
