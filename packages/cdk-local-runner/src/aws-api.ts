import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Clock } from "./clock/clock.ts";
import { answerPutEvents } from "./messages/events.ts";
import type { MessageContext, Sent } from "./messages/sent.ts";
import { answerPublish } from "./messages/sns.ts";
import { answerGetParameters, type ParameterContext } from "./parameters/get-parameters.ts";
import type { Scheduler } from "./schedules/scheduler.ts";
import { isFromWebPage, readBody, sendJson, webPageRefusal, withFailures } from "./support/http-listener.ts";
import * as z from "./support/zod.ts";

// Messages can have 256 KB, and each byte may be encoded as three characters.
const maximumBodyBytes = 1024 * 1024;
const maximumDays = 3660;
const hourMilliseconds = 3_600_000;

const advanceSchema = z.strictObject({
  days: z._default(z.int().check(z.nonnegative(), z.maximum(maximumDays)), 0),
  hours: z._default(z.int().check(z.nonnegative(), z.maximum(maximumDays * 24)), 0),
});

interface ControlOptions {
  clock: Clock;
  scheduler: Pick<Scheduler, "advance">;
  /** Everything that was sent since the start. */
  sent: readonly Sent[];
}

interface AwsApiOptions extends ControlOptions {
  invokeApi: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  messages: MessageContext;
  parameters: ParameterContext["parameters"];
  log: (text: string) => void;
}

type Operation = (body: unknown) => Promise<unknown>;

/** Creates the listener of the port that stands in for Lambda, SNS, EventBridge and the Parameter Store, and that controls the run. */
export const createAwsApi = ({ invokeApi, messages, parameters, log, ...options }: AwsApiOptions): RequestListener => {
  const operations = controlOperations(options);
  const controlPaths = new Set(Object.keys(operations).map((operation) => operation.split(" ")[1]));

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, method } = request;
    const { pathname = "" } = URL.parse(request.url ?? "", "http://localhost") ?? {};
    const isEvents = headers["x-amz-target"] !== undefined;
    const isQuery = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
    const isMessage = method === "POST" && pathname === "/" && (isEvents || isQuery);
    if (isFromWebPage(headers)) return sendJson(response, 403, { Type: "User", message: webPageRefusal });
    if (!isMessage && !controlPaths.has(pathname)) return invokeApi(request, response);
    const body = (await readBody(request, maximumBodyBytes))?.toString();
    if (body === undefined) return void response.writeHead(413).end();
    if (!isMessage) return control(response, operations[`${method} ${pathname}`], body);
    const message = { headers, body, response };
    const isParameters = String(headers["x-amz-target"]).startsWith("AmazonSSM.");
    if (isParameters) return answerGetParameters(message, { ...messages, parameters });
    return isEvents ? answerPutEvents(message, messages) : answerPublish(message, messages);
  };

  const message = "The local run failed. Its log says why.";
  return withFailures(answer, {
    name: "Lambda, SNS, EventBridge or the Parameter Store",
    log,
    fail: (response) => sendJson(response, 500, { Type: "Service", message }),
  });
};

/** Operations that AWS doesn't have: control of the clock, and access to sent messages. */
const controlOperations = ({ clock, scheduler, sent }: ControlOptions): Record<string, Operation> => {
  const state = () => ({
    now: new Date(clock.now()).toISOString(),
    ahead_hours: Math.round(clock.aheadMilliseconds() / hourMilliseconds),
  });
  return {
    "GET /sent": async () => sent,
    "GET /clock": async () => state(),
    "POST /clock": async (body) => {
      const { days, hours } = advanceSchema.parse(body);
      const before = sent.length;
      const runs = await scheduler.advance((days * 24 + hours) * hourMilliseconds);
      return { ...state(), runs, sent: sent.slice(before) };
    },
  };
};

const control = async (response: ServerResponse, operation: Operation | undefined, body: string): Promise<void> => {
  if (operation === undefined) return sendJson(response, 405, { message: "There is no such operation." });
  try {
    sendJson(response, 200, await operation(body === "" ? undefined : JSON.parse(body)));
  } catch (error) {
    if (error instanceof SyntaxError) return sendJson(response, 400, { message: "The body must be JSON." });
    if (error instanceof z.core.$ZodError) return sendJson(response, 400, { message: z.prettifyError(error) });
    throw error;
  }
};
