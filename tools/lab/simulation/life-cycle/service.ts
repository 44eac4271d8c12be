import { clientEndpoints, contextOf, type Invocation, requestIdOf, requestTo } from "../calls.ts";
import type { Database } from "../database/database.ts";
import type { Service } from "../load-service.ts";
import { operations } from "../service.ts";
import { type Answer, answerOf } from "../situation.ts";
import { connectionTo, responseOf } from "../world/network.ts";
import { createRandom } from "../world/random.ts";
import { runIn, type VirtualProcess } from "../world/virtual-globals.ts";
import type { Address, Call } from "./life.ts";
import { ipOf, type Moment, type Reality } from "./records.ts";

/** The real functions in one environment, invoked without faults at any given moment. */
export interface Stage {
  /** Invokes a function on a copy of the database, and returns its response and the state afterwards. */
  invoke(moment: Moment, invocation: Invocation): Promise<{ answer: Answer; moment: Moment }>;
}

export const createStage = ({ createFunctions }: Service): Stage => {
  let database: Database;
  let now = 0;
  let calls = 0;
  const virtual: VirtualProcess = {
    now: () => now,
    startTimer: () => ({ stop() {} }),
    random: createRandom(1),
    log() {},
  };
  const connection = connectionTo(({ action, body: request }, settle) => {
    now += 1;
    const { status, body } = database.perform(action, JSON.parse(request)).answer;
    settle(responseOf(status, JSON.stringify(body)));
  });
  const functions = runIn(virtual, () => createFunctions(connection));

  return {
    async invoke(before, { functionName, event }) {
      database = before.database.copy();
      now = before.now;
      calls += 1;
      const context = contextOf(requestIdOf(calls), () => 0);
      const answer = await runIn(virtual, () => answerOf(functions(functionName)(event, context)));
      return { answer, moment: { database, now } };
    },
  };
};

/** A quarter of an hour counts as two steps. */
const graceSeconds = { 0: 0, 2: 900 } as const;
const invitationSeconds = 25 * 60;
const lifetimeMilliseconds = 24 * 60 * 60 * 1000;

/** Creates the invocation for a call of the model. */
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
