import { clientEndpoints, contextOf, type Invocation, requestIdOf, requestTo } from "../calls.ts";
import type { Database } from "../database/database.ts";
import { type CreatePlant, openFunctions, operations } from "../functions.ts";
import { promptFate, steadyEnvironment } from "../schedule.ts";
import { type Answer, answerOf } from "../situation.ts";
import { createAgenda, createChronicle } from "../world/agenda.ts";
import { createEnvironment } from "../world/environment.ts";
import { createNetwork } from "../world/network.ts";
import { createRandom } from "../world/random.ts";
import { runIn } from "../world/virtual-globals.ts";
import type { Address, Call } from "./life.ts";
import { ipOf, type Moment, type Reality } from "./records.ts";

/** The real functions in one environment, invoked without faults at any given moment. */
export interface Stage {
  /** Invokes a function on a copy of the database, and returns its response and the state after it. */
  invoke(moment: Moment, invocation: Invocation): Promise<{ answer: Answer; moment: Moment }>;
}

export const createStage = (createPlant: CreatePlant = () => ({})): Stage => {
  const plant = createPlant();
  const agenda = createAgenda(0);
  let database: Database;
  let calls = 0;

  const environment = createEnvironment({ ...steadyEnvironment, agenda, random: createRandom(1), log: () => {} });
  const connectEnvironment = createNetwork({
    agenda,
    database: () => database,
    chronicle: createChronicle(() => 0),
    fateOf: () => promptFate,
    seam: plant.seam,
  });
  const functions = openFunctions(environment, { connectEnvironment, plant });

  return {
    async invoke(before, { functionName, event }) {
      database = before.database.copy();
      agenda.startAt(before.now);
      calls += 1;
      const id = calls;
      const context = contextOf(requestIdOf(id), () => 0);
      environment.resume();
      let answer: Answer | undefined;
      runIn(environment.processFor(id), async () => {
        answer = await answerOf(functions.handler(functionName)(event, context));
      });
      await agenda.runAll();
      environment.freeze();
      if (!answer) throw new Error(`${functionName} has not answered.`);
      return { answer, moment: { database, now: agenda.now() } };
    },
  };
};

/** A quarter of an hour: two steps. */
const graceSeconds = { 0: 0, 2: 900 } as const;
const invitationSeconds = 25 * 60;
const lifetimeMilliseconds = 24 * 60 * 60 * 1000;

/** Makes the invocation for a call of the model. */
export const invocationOf = (call: Call, { ids, texts, codes, moment }: Reality, address?: string): Invocation => {
  if (call.kind === "wait") throw new Error("Time passes by itself.");
  if (!("from" in call)) return { functionName: "admin", event: adminEvent(call, { ids, codes, now: moment.now }) };
  const operation = operations.find(
    ({ operationId }) => operationId === clientEndpoints[call.kind === "rotate" ? "rotate own" : call.kind],
  );
  const text = texts.get(call.kind === "redeem" ? "invitation" : call.token);
  if (!operation || text === undefined) throw new Error(`${JSON.stringify(call)} cannot be made.`);
  const form = call.kind === "rotate" && { form: { grace_seconds: String(graceSeconds[call.grace]) } };
  return requestTo(operation, { requestId: "replayed", text, address: address ?? ipOf[call.from], ...form });
};

type AdminCall = Exclude<Call, { kind: "wait" } | { from: Address }>;

const adminEvent = (
  call: AdminCall,
  { ids, codes, now }: Pick<Reality, "ids" | "codes"> & { now: number },
): Record<string, unknown> => {
  if (call.kind === "invite" || call.kind === "issue") {
    const expires_at = call.isShort ? new Date(now + lifetimeMilliseconds).toISOString() : null;
    const valid = call.kind === "invite" && { valid_seconds: invitationSeconds };
    return { action: call.kind, ip: call.ip && ipOf[call.ip], expires_at, ...valid };
  }
  const token_id = ids[call.token];
  switch (call.kind) {
    case "revoke":
      return { action: "revoke", token_id };
    case "end soon":
      return { action: "update", token_id, expires_at: new Date(now + graceSeconds[2] * 1000).toISOString() };
    case "rotate for":
      return { action: "rotate", token_id, grace_seconds: graceSeconds[call.grace] };
    default: {
      const code = codes.get(call.token) ?? "333-333";
      const other = code === "777-777" ? "333-333" : "777-777";
      return { action: call.kind, token_id, ip: ipOf[call.ip], code: call.code === "current" ? code : other };
    }
  }
};
