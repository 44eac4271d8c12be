import { EventEmitter } from "node:events";
import { crc32 } from "node:zlib";
import type { Connection, Outgoing } from "../../../../lambdas/dynamodb/client/sdk-http-handler.ts";
import type { Change, Database, DatabaseAnswer } from "../database/database.ts";
import { type AnswerKind, type Fate, promptFate } from "../schedule.ts";
import type { Agenda, Attempt, Chronicle } from "./agenda.ts";
import { currentOperation, type Environment } from "./environment.ts";

export interface HttpResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Gives a request its response, or ends it with an error. Only the first outcome counts. */
type Settle = (outcome: HttpResponse | Error) => void;

/** Returns a connection that passes complete requests on. `action` is the DynamoDB operation. */
export const connectionTo = (
  perform: (request: { action: string; body: string }, settle: Settle) => void,
): Connection => ({
  begin({ headers }) {
    const target = headers[headers.indexOf("x-amz-target") + 1] ?? "";
    const outgoing = new EventEmitter();
    let isOver = false;
    const fail = (error: Error) => {
      if (!isOver) outgoing.emit("error", error);
      isOver = true;
    };
    let isSettled = false;
    const settle: Settle = (outcome) => {
      if (isSettled || isOver) return;
      isSettled = true;
      if (outcome instanceof Error) return fail(outcome);
      const incoming = Object.assign(new EventEmitter(), outcome);
      outgoing.emit("response", incoming);
      incoming.emit("data", outcome.body);
      isOver = true;
      incoming.emit("end");
    };
    return Object.assign(outgoing, {
      end: (body: string) => perform({ action: target.replace(/^.*\./, ""), body }, settle),
      destroy: fail,
    }) as Outgoing;
  },
  destroy() {},
});

interface NetworkOptions {
  agenda: Agenda;
  database: Database;
  chronicle: Chronicle;
  fateOf: (operation: number, attempt: number) => Fate | undefined;
  /** After how long the indexes know a write, for one write after the other. Default: at once. */
  indexDelays?: readonly number[] | undefined;
}

const connectionError = (code: string): Error => Object.assign(new Error(`read ${code}`), { code });

const errorOf = (status: number, type: string): { status: number; text: string } => {
  return { status, text: JSON.stringify({ __type: type, message: "No." }) };
};

const throttled = errorOf(400, "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException");

const answersWithoutWork: Partial<Record<AnswerKind, { status: number; text: string }>> = {
  throttled,
  "internal error": errorOf(500, "com.amazonaws.dynamodb.v20120810#InternalServerError"),
  "expired token": errorOf(400, "com.amazon.coral.service#ExpiredTokenException"),
};

/** With these kinds of response, the database does nothing. */
const refusals: readonly AnswerKind[] = ["throttled", "expired token", "conflict"];

/** Refuses a write of items that a transaction is writing. Reads are throttled instead. */
const conflictOf = ({ action, body }: Attempt): { status: number; text: string } => {
  const type = "com.amazonaws.dynamodb.v20120810#Transaction";
  if (action === "UpdateItem") return errorOf(400, `${type}ConflictException`);
  if (action !== "TransactWriteItems") return throttled;
  const CancellationReasons = JSON.parse(body).TransactItems.map(() => ({ Code: "TransactionConflict" }));
  const error = { __type: `${type}CanceledException`, Message: "No.", CancellationReasons };
  return { status: 400, text: JSON.stringify(error) };
};

/** Creates the path between environments and the database, on which each attempt meets its fate. */
export const createNetwork = ({ agenda, database, chronicle, fateOf, indexDelays }: NetworkOptions) => {
  const attemptsOf = new Map<number, number>();

  const index = ({ table, key }: Change): void => {
    database.index(table, key);
    chronicle.note(`the indexes of ${table} know ${key}`);
  };

  /** Makes the database perform a request. The response may never arrive. */
  const deliver = (attempt: Attempt, delivery: number): DatabaseAnswer => {
    const { answer, changes } = database.perform(attempt.action, JSON.parse(attempt.body));
    const text = `${name(attempt)} delivered${delivery > 0 ? " again" : ""}: ${answer.status} ${JSON.stringify(answer.body)}`;
    const appliedAt = chronicle.note(text);
    attempt.arrivedAt ??= appliedAt;
    for (const change of changes) {
      const delay = indexDelays?.[chronicle.applied.length % indexDelays.length];
      if (delay !== undefined) agenda.plan(delay, () => index(change));
      chronicle.applied.push({ attempt, appliedAt, time: agenda.now(), change });
    }
    return answer;
  };

  return (environment: Environment): Connection =>
    connectionTo(({ action, body }, settleRequest) => {
      const operation = currentOperation();
      const number = attemptsOf.get(operation) ?? 0;
      attemptsOf.set(operation, number + 1);
      const fate = fateOf(operation, number) ?? promptFate;
      const attempt: Attempt = { operation, number, action, body, sentAt: 0 };
      attempt.sentAt = chronicle.note(`${name(attempt)} sent: ${attempt.body}`);
      chronicle.attempts.push(attempt);

      const settle: Settle = (outcome) => {
        chronicle.note(`${name(attempt)} gets: ${outcome instanceof Error ? outcome.message : outcome.statusCode}`);
        settleRequest(outcome);
      };
      const arrive = (answer: DatabaseAnswer | undefined): void => {
        if (fate.kill === "answered") {
          chronicle.note(`${name(attempt)} kills its environment`);
          environment.kill();
        } else {
          const outcome = answerAs(fate.answer, answer, attempt);
          if (outcome) settle(outcome);
        }
      };
      const [first, ...others] = fate.deliveries;
      if (first === undefined || refusals.includes(fate.answer)) {
        environment.plan(fate.answerDelay, () => arrive(undefined));
      } else {
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
};

const name = ({ operation, number, action }: Attempt): string => `#${operation}.${number} ${action}`;

/** Returns the response that the function gets, or `undefined` if it gets none and runs into its timeout. */
const answerAs = (
  kind: AnswerKind,
  answer: DatabaseAnswer | undefined,
  attempt: Attempt,
): HttpResponse | Error | undefined => {
  const withoutWork = kind === "conflict" ? conflictOf(attempt) : answersWithoutWork[kind];
  if (withoutWork) return responseOf(withoutWork.status, withoutWork.text);
  if (kind === "reset") return connectionError("ECONNRESET");
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
