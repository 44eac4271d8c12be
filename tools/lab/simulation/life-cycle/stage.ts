import { contextOf, type Invocation, requestIdOf } from "../calls.ts";
import type { Database } from "../database/database.ts";
import type { Service } from "../service.ts";
import { type Answer, answerOf } from "../situation.ts";
import { connectionTo, responseOf } from "../world/network.ts";
import { createRandom } from "../world/random.ts";
import { runIn, type VirtualProcess } from "../world/virtual-globals.ts";
import type { Moment } from "./records.ts";

/** The real functions in one environment, invoked without faults at times that the test sets. */
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
