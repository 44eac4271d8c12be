import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "./clock/clock.ts";
import { type Failures, failureSchema } from "./messages/failures.ts";
import type { SentLog } from "./messages/sent.ts";
import type { Scheduler } from "./schedules/scheduler.ts";
import { readBody } from "./support/read-body.ts";
import * as z from "./support/zod.ts";

const maximumBodyBytes = 10_000;
const maximumDays = 3660;

const advanceSchema = z.strictObject({
  days: z._default(z.int().check(z.nonnegative(), z.maximum(maximumDays)), 0),
  hours: z._default(z.int().check(z.nonnegative(), z.maximum(maximumDays * 24)), 0),
});

const hourMilliseconds = 3_600_000;

interface ControlOptions {
  clock: Clock;
  scheduler: Pick<Scheduler, "advance">;
  sent: Pick<SentLog, "all" | "count">;
  failures: Failures;
}

/**
 * Makes the request listener for what AWS does not have: the clock, what was sent, and failures on request. Undefined for
 * other paths.
 */
export const createControl = ({ clock, scheduler, sent, failures }: ControlOptions) => {
  const state = () => ({
    now: new Date(clock.now()).toISOString(),
    ahead_hours: Math.round(clock.aheadMilliseconds() / hourMilliseconds),
  });

  const operations: Record<string, (body: unknown) => Promise<unknown>> = {
    "GET /sent": async () => sent.all(),
    "PUT /sent/failures": async (body) => {
      const failure = failureSchema.parse(body);
      failures.set({ ...failure });
      return failure;
    },
    "GET /clock": async () => state(),
    "POST /clock": async (body) => {
      const { days, hours } = advanceSchema.parse(body);
      const before = sent.count();
      const runs = await scheduler.advance((days * 24 + hours) * hourMilliseconds);
      return { ...state(), runs, sent: sent.all().slice(before) };
    },
  };
  const paths = new Set(Object.keys(operations).map((operation) => operation.split(" ")[1]));

  return {
    hasPath: (path: string): boolean => paths.has(path),
    async answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
      const reply = (status: number, value: unknown): void => {
        const text = `${JSON.stringify(value, undefined, 2)}\n`;
        response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(text);
      };
      const operation = operations[`${request.method} ${path}`];
      if (operation === undefined) return reply(405, { message: `There is no ${request.method} ${path}.` });
      const body = (await readBody(request, maximumBodyBytes))?.toString() ?? "";
      try {
        reply(200, await operation(request.method === "GET" ? undefined : JSON.parse(body)));
      } catch (error) {
        if (error instanceof SyntaxError) return reply(400, { message: "The body must be JSON." });
        if (error instanceof z.core.$ZodError) return reply(400, { message: z.prettifyError(error) });
        throw error;
      }
    },
  };
};
