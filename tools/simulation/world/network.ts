import { crc32 } from "node:zlib";
import type { Database, DatabaseAnswer } from "../database/database.ts";
import { type AnswerKind, type Fate, promptFate } from "../schedule.ts";
import type { Agenda, Attempt, Chronicle } from "./agenda.ts";
import { currentOperation, type Environment } from "./environment.ts";

/** The request as the SDK hands it over. */
export interface HttpRequest {
  headers: Record<string, string>;
  body?: unknown;
}

export interface HttpResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The operation of DynamoDB that a request asks for. */
export const actionOf = ({ headers }: HttpRequest): string => (headers["x-amz-target"] ?? "").replace(/^.*\./, "");

interface NetworkOptions {
  agenda: Agenda;
  database: Database;
  chronicle: Chronicle;
  fateOf: (operation: number, attempt: number) => Fate | undefined;
}

/** How long the functions wait for a response, as in client.ts. */
const requestTimeout = 1_000;

/** The error of http-handler.ts for a request that took too long. The SDK treats a failed connection in the same way. */
const connectionError = (message: string): Error => Object.assign(new Error(message), { name: "TimeoutError" });

const errorOf = (status: number, type: string): { status: number; text: string } => {
  return { status, text: JSON.stringify({ __type: type, message: "No." }) };
};

const answersWithoutWork: Partial<Record<AnswerKind, { status: number; text: string }>> = {
  throttled: errorOf(400, "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"),
  "internal error": errorOf(500, "com.amazonaws.dynamodb.v20120810#InternalServerError"),
  "expired token": errorOf(400, "com.amazon.coral.service#ExpiredTokenException"),
};

/** With these, the database does nothing. */
const refusals: readonly AnswerKind[] = ["throttled", "expired token"];

/** The path between environments and the database, on which each attempt meets its fate. */
export const createNetwork = ({ agenda, database, chronicle, fateOf }: NetworkOptions) => {
  const attemptsOf = new Map<number, number>();

  /** Lets the database perform a request; its response may never arrive. */
  const deliver = (attempt: Attempt, delivery: number): DatabaseAnswer => {
    const { answer, change } = database.perform(attempt.action, JSON.parse(attempt.body));
    const text = `${name(attempt)} delivered${delivery > 0 ? " again" : ""}: ${answer.status} ${JSON.stringify(answer.body)}`;
    const appliedAt = chronicle.note(text);
    attempt.arrivedAt ??= appliedAt;
    if (change) chronicle.applied.push({ attempt, appliedAt, time: agenda.now(), change });
    return answer;
  };

  return (environment: Environment) => ({
    handle(
      request: HttpRequest,
      { abortSignal }: { abortSignal?: AbortSignal } = {},
    ): Promise<{ response: HttpResponse }> {
      const operation = currentOperation();
      const number = attemptsOf.get(operation) ?? 0;
      attemptsOf.set(operation, number + 1);
      const fate = fateOf(operation, number) ?? promptFate;
      const action = actionOf(request);
      const attempt: Attempt = { operation, number, action, body: String(request.body), sentAt: 0 };
      attempt.sentAt = chronicle.note(`${name(attempt)} sent: ${attempt.body}`);
      chronicle.attempts.push(attempt);

      return new Promise((resolve, reject) => {
        let isSettled = false;
        const settle = (outcome: HttpResponse | Error): void => {
          if (isSettled) return;
          isSettled = true;
          chronicle.note(`${name(attempt)} ends: ${outcome instanceof Error ? outcome.message : outcome.statusCode}`);
          if (outcome instanceof Error) reject(outcome);
          else resolve({ response: outcome });
        };
        environment.plan(requestTimeout, () => settle(connectionError("no response in time")));
        if (abortSignal?.aborted) return settle(aborted());
        abortSignal?.addEventListener("abort", () => settle(aborted()));

        const arrive = (answer: DatabaseAnswer | undefined): void => {
          if (fate.kill === "answered") {
            chronicle.note(`${name(attempt)} kills its environment`);
            environment.kill();
          } else {
            const outcome = answerAs(fate.answer, answer);
            if (outcome) settle(outcome);
          }
        };
        const [first, ...others] = fate.deliveries;
        if (first === undefined || refusals.includes(fate.answer))
          environment.plan(fate.answerDelay, () => arrive(undefined));
        else {
          agenda.plan(first, () => {
            const answer = deliver(attempt, 0);
            environment.plan(fate.answerDelay, () => arrive(answer));
          });
          for (const delay of others) agenda.plan(delay, () => deliver(attempt, 1));
        }
        if (fate.kill === "sent") {
          chronicle.note(`${name(attempt)} kills its environment`);
          environment.kill();
        }
      });
    },
    destroy() {},
  });
};

const name = ({ operation, number, action }: Attempt): string => `#${operation}.${number} ${action}`;

const aborted = (): Error => Object.assign(new Error("the request was aborted"), { name: "AbortError" });

/** The response that the function gets; `undefined` if it gets none and runs into its time-out. */
const answerAs = (kind: AnswerKind, answer: DatabaseAnswer | undefined): HttpResponse | Error | undefined => {
  const withoutWork = answersWithoutWork[kind];
  if (withoutWork) return responseOf(withoutWork.status, withoutWork.text);
  if (kind === "reset") return connectionError("read ECONNRESET");
  if (kind === "replaced") return responseOf(200, '{"message":"maintenance"}', {});
  if (!answer || kind === "lost") return undefined;
  const text = JSON.stringify(answer.body);
  return responseOf(answer.status, text, checksumOf(kind === "wrong checksum" ? `${text} ` : text));
};

const checksumOf = (text: string): Record<string, string> => ({ "x-amz-crc32": String(crc32(text)) });

export const responseOf = (statusCode: number, text: string, headers = checksumOf(text)): HttpResponse => ({
  statusCode,
  headers: { "content-type": "application/x-amz-json-1.0", ...headers },
  body: Buffer.from(text),
});
