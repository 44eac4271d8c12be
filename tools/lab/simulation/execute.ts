import { contextOf, invocationOf, lambdaTimeout, requestIdOf } from "./calls.ts";
import type { Database, Deleted } from "./database/database.ts";
import { loadService, type Service } from "./load-service.ts";
import { probesAfter } from "./probes.ts";
import type { KeyName, Operation, Schedule, TokenReference } from "./schedule.ts";
import {
  type Answer,
  answerOf,
  type Done,
  etagOf,
  type LogLine,
  requestIn,
  type TokenInHand,
  tokenIn,
  trustInHand,
} from "./situation.ts";
import { type Chronicle, createAgenda, createChronicle } from "./world/agenda.ts";
import { createChannels, type Sending } from "./world/channels.ts";
import { createEnvironment, type Environment } from "./world/environment.ts";
import { createNetwork } from "./world/network.ts";
import { createRandom } from "./world/random.ts";
import { runIn } from "./world/virtual-globals.ts";

export interface Run {
  schedule: Schedule;
  done: Done[];
  chronicle: Chronicle;
  /** The database at the beginning (`initial`) and at the end (`database`). */
  initial: Database;
  database: Database;
  /** The items that the database deleted because their time to live had passed. */
  deleted: Deleted[];
  /** The lines of each batch that was delivered to usage counting. */
  batches: ReadonlyMap<number, LogLine[]>;
  /** The attempts to send notices. */
  sendings: readonly Sending[];
}

interface Slot {
  environment: Environment;
  functions: ReturnType<Service["createFunctions"]>;
  isBusy: boolean;
}

interface Beginning {
  initial: Database;
  start: number;
  setupToken?: TokenInHand | undefined;
  /** The name of a planted bug. */
  plant?: string | undefined;
}

/** Runs a schedule on a copy of a database. Must be called within the virtual globals. */
export const execute = async (schedule: Schedule, { initial, start, setupToken, plant }: Beginning): Promise<Run> => {
  const database = initial.copy();
  const agenda = createAgenda(start);
  const chronicle = createChronicle(() => agenda.now() - start);
  const random = createRandom(schedule.seed);
  const operations = new Map(schedule.operations.map((operation) => [operation.id, operation]));
  const fateOf = (operation: number, attempt: number) => operations.get(operation)?.fates[attempt];
  const connectEnvironment = createNetwork({ agenda, chronicle, fateOf, database });
  const { createFunctions, NotSent } = await loadService(plant);

  const { senders, sendings } = createChannels({
    chronicle,
    fateOf: (operation, attempt) => operations.get(operation)?.sendings?.[attempt],
    NotSent,
  });

  const logged: LogLine[] = [];
  const log = (operation: number, text: string): void => {
    chronicle.note(`#${operation} logs ${text.trim().replaceAll(/\\n.*?"/g, '"')}`);
    if (text.includes('"message":"request"') && text.includes('"token_id"')) {
      logged.push({ id: String(logged.length), timestamp: agenda.now(), message: text });
    }
  };

  const openSlot = (clockOffset: number): Slot => {
    const environment = createEnvironment({ clockOffset, agenda, random, log });
    const connection = connectEnvironment(environment);
    const functions = runIn(environment.processFor(-1), () => createFunctions({ connection, senders }));
    return { environment, functions, isBusy: false };
  };
  const slots = new Map<number, Slot>();
  /** Returns the slot for an operation: the named one, or the next slot that is not busy. */
  const slotFor = (preferred: number): Slot => {
    for (let index = preferred; ; index += 1) {
      const slot = slots.get(index);
      if (slot?.isBusy) continue;
      if (slot && !slot.environment.isKilled()) return slot;
      const opened = openSlot(schedule.clockOffsets[index % schedule.clockOffsets.length] ?? 0);
      slots.set(index, opened);
      return opened;
    }
  };

  const done: Done[] = [];
  const doneBy = (id: number): Done | undefined => done.find(({ operation }) => operation.id === id);
  /** Returns one of the `ETag`s of a key that clients have seen, including the first one from the setup. */
  const etagFor = (id: number, key: KeyName): string | undefined => {
    const shown = done.flatMap(({ operation: { call }, answer }) =>
      "key" in call && call.key === key && answer?.headers.ETag !== undefined ? [String(answer.headers.ETag)] : [],
    );
    const etags = [etagOf(initial.itemsOf("keys").get(key)), ...shown].filter((etag) => etag !== undefined);
    return etags.at(id % Math.max(1, etags.length));
  };
  const batches = new Map<number, LogLine[]>();
  let batched = 0;
  const situation = {
    tokenOf: (reference: TokenReference) =>
      typeof reference === "number"
        ? tokenIn(doneBy(reference)?.answer?.body)
        : { setup: setupToken, trust: trustInHand }[reference],
    requestOf(id: number) {
      const { answer, token } = doneBy(id) ?? {};
      const shown = requestIn(answer?.body);
      return shown && token && { token_id: token.token_id, ...shown };
    },
    batchOf(batch: number) {
      const known = batches.get(batch);
      if (known || logged.length === batched) return known;
      const lines = logged.slice(batched);
      batched = logged.length;
      batches.set(batch, lines);
      return lines;
    },
    now: agenda.now,
    start,
  };

  const perform = (operation: Operation, next: () => void): void => {
    const { id, call, environment: preferred } = operation;
    for (const rival of schedule.operations.filter(({ beside }) => beside === id)) startClient([rival]);
    const ifMatch = "ifUnchanged" in call && call.ifUnchanged ? etagFor(id, call.key) : undefined;
    const requestId = requestIdOf(id);
    const invocation = invocationOf(call, { requestId, ifMatch, situation });
    if (!invocation) {
      next();
      return;
    }

    const slot = slotFor(preferred);
    const { environment } = slot;
    slot.isBusy = true;
    environment.resume();
    const calledAt = chronicle.note(`#${id} ${JSON.stringify(call)}`);
    const calledTime = agenda.now();
    const token = "token" in call ? situation.tokenOf(call.token) : undefined;
    const request = "asked" in call ? situation.requestOf(call.asked) : undefined;
    let isOver = false;
    let isTimedOut = false;
    const finish = (answer?: Answer): void => {
      if (isOver) return;
      isOver = true;
      slot.isBusy = false;
      if (answer) environment.freeze();
      const text = answer ? `${answer.status} ${answer.code ?? ""} ${JSON.stringify(answer.body)}` : "never";
      const answeredAt = chronicle.note(`#${id} responded with ${text}`);
      const { clockOffset } = environment;
      const ended = { answeredAt, answeredTime: agenda.now(), clockOffset, isTimedOut, ...(answer && { answer }) };
      done.push({ operation, token, request, ifMatch, calledAt, calledTime, ...ended });
      next();
    };
    const context = contextOf(requestId, () => agenda.now() - calledTime);
    runIn(environment.processFor(id), async () => {
      finish(await answerOf(slot.functions(invocation.functionName)(invocation.event, context)));
    });
    // The caller of a killed function gets an error at once.
    environment.onKill(() => finish());
    agenda.plan(lambdaTimeout, () => {
      if (isOver) return;
      isTimedOut = true;
      environment.kill();
    });
  };

  const deleted: Deleted[] = [];
  const deleteDue = (): void => {
    for (const one of database.deleteDue(agenda.now())) {
      chronicle.note(`the time to live of ${one.table} ${one.key} has passed`);
      deleted.push(one);
    }
  };
  for (const time of schedule.deletions) agenda.plan(time, deleteDue);

  const startClient = (operations: readonly Operation[]): void => {
    const [operation, ...others] = operations;
    if (operation) agenda.plan(operation.pause, () => perform(operation, () => startClient(others)));
  };
  const inOrder = schedule.operations.filter(({ beside }) => beside === undefined);
  for (const operations of Map.groupBy(inOrder, ({ client }) => client).values()) startClient(operations);
  await agenda.runAll();
  if (schedule.deletions.length > 0) deleteDue();

  const probe = async () => {
    const written = chronicle.applied.length;
    startClient(probesAfter(schedule, done));
    await agenda.runAll();
    return chronicle.applied.length > written;
  };
  if ((await probe()) && schedule.operations.length > 0) await probe();
  return { schedule, done, chronicle, initial, database, deleted, batches, sendings };
};
