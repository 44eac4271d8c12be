import { contextOf, invocationOf, lambdaTimeout, requestIdOf } from "./calls.ts";
import type { Database, Deleted } from "./database/database.ts";
import { loadService, type Versions } from "./load-service.ts";
import { finalRecordCalls, seenBefore } from "./records/seen.ts";
import { type Call, type KeyName, keyNames, type Operation, type Schedule, type TokenReference } from "./schedule.ts";
import type { Service } from "./service.ts";
import {
  type Answer,
  answerOf,
  type Done,
  etagOf,
  finalClient,
  requestIn,
  type TokenInHand,
  tokenIn,
  trustInHand,
} from "./situation.ts";
import { type Chronicle, createAgenda, createChronicle } from "./world/agenda.ts";
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
  versions: Versions;
}

/** Runs a schedule on a copy of a database. Must be called within the virtual globals. */
export const execute = async (
  schedule: Schedule,
  { initial, start, setupToken, versions }: Beginning,
): Promise<Run> => {
  const database = initial.copy();
  const agenda = createAgenda(start);
  const chronicle = createChronicle(() => agenda.now() - start);
  const random = createRandom(schedule.seed);
  const operations = new Map(schedule.operations.map((operation) => [operation.id, operation]));
  const fateOf = (operation: number, attempt: number) => operations.get(operation)?.fates[attempt];
  const { indexDelays } = schedule;
  const connectEnvironment = createNetwork({ agenda, chronicle, fateOf, database, indexDelays });
  const services = await loadService(versions, schedule);

  const log = (operation: number, text: string): void =>
    void chronicle.note(`#${operation} logs ${text.trim().replaceAll(/\\n.*?"/g, '"')}`);

  /** Opens an environment. The versions of the service take turns. */
  const openSlot = (index: number): Slot => {
    const clockOffset = schedule.clockOffsets[index % schedule.clockOffsets.length] ?? 0;
    const environment = createEnvironment({ clockOffset, agenda, random, log });
    const connection = connectEnvironment(environment);
    const { createFunctions } = services[index % services.length] ?? services[0];
    const functions = runIn(environment.processFor(-1), () => createFunctions(connection));
    return { environment, functions, isBusy: false };
  };
  const slots = new Map<number, Slot>();
  /** Returns the slot for an operation: the named one, or the next slot that is not busy. */
  const slotFor = (preferred: number): Slot => {
    for (let index = preferred; ; index += 1) {
      const slot = slots.get(index);
      if (slot?.isBusy) continue;
      if (slot && !slot.environment.isKilled()) return slot;
      const opened = openSlot(index);
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
  const versionFor = ({ id, call }: Operation): string | undefined => {
    if (call.kind === "record") return seenBefore(id, call, initial, done);
    return "ifUnchanged" in call && call.ifUnchanged ? etagFor(id, call.key) : undefined;
  };
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
    nextPageOf: (id: number) => /\?(.*)>; rel="next"/.exec(String(doneBy(id)?.answer?.headers.Link))?.[1],
    now: agenda.now,
    start,
  };

  const perform = (operation: Operation, next: () => void): void => {
    const { id, call, environment: preferred } = operation;
    for (const rival of schedule.operations.filter(({ beside }) => beside === id)) startClient([rival]);
    const ifMatch = versionFor(operation);
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

  // The second round shows what the first one has changed. Each version gets each of the calls.
  for (let round = 0, written = 0; round < 2; round += 1) {
    if (round > 0 && services.length === 1 && chronicle.applied.length === written) break;
    written = chronicle.applied.length;
    startClient(finalOperations(schedule, done, round));
    await agenda.runAll();
  }
  return { schedule, done, chronicle, initial, database, deleted };
};

const repeatable: readonly string[] = ["redeem", "rotate own", "move", "exchange"];

/**
 * Returns the final calls of a service's schedule, which are made without faults. They show what is stored and which tokens are accepted. Each call that
 * gives a client its token is repeated, in case the response was lost.
 */
const finalCalls = ({ operations }: Schedule, done: readonly Done[], first: number): Call[] => {
  const kinds = new Set<string>(operations.map(({ call }) => call.kind));
  const has = (...some: string[]): boolean => some.some((kind) => kinds.has(kind));
  const issued = done.filter(({ answer }) => tokenIn(answer?.body)?.isInvitation === false);
  const tokens: TokenReference[] = ["setup", ...issued.map(({ operation }) => operation.id)];
  const repeated = operations.flatMap(({ call }) => (repeatable.includes(call.kind) ? [call] : []));
  return [
    ...(has("create", "replace", "delete")
      ? [
          { kind: "page", token: "setup" } as const,
          { kind: "page", token: "setup", after: first } as const,
          { kind: "list", door: "admin", token: "setup" } as const,
          ...keyNames.map((key) => ({ kind: "get", key, door: "admin", token: "setup" }) as const),
        ]
      : []),
    ...new Map(repeated.map((call) => [JSON.stringify(call), call])).values(),
    ...(has("issue", "update", "rotate", "revoke", ...repeatable)
      ? [{ kind: "tokens" } as const, ...tokens.map((token) => ({ kind: "use", token, as: "itself" }) as const)]
      : []),
  ];
};

/** Environments from here on are not used by schedules. */
const newEnvironments = 100;

const finalOperations = (schedule: Schedule, done: readonly Done[], round: number): Operation[] => {
  const { operations, clockOffsets, isOfRecords } = schedule;
  const first = Math.max(...[...operations, ...done.map(({ operation }) => operation)].map(({ id }) => id)) + 1;
  const calls = isOfRecords ? finalRecordCalls(operations.map(({ call }) => call)) : finalCalls(schedule, done, first);
  return calls.map((call, index) => {
    const made = { id: first + index, client: finalClient, call, fates: [] };
    // A new environment, because a late attempt of the schedule can still kill the others.
    if ("feed" in call) return { ...made, environment: newEnvironments + index, pause: 60_000 };
    return { ...made, environment: (index + round) % Math.max(2, clockOffsets.length), pause: 100 };
  });
};
