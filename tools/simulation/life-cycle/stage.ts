import type { Invocation } from "../calls.ts";
import { contextOf, requestIdOf } from "../calls.ts";
import type { Database } from "../database/database.ts";
import { type CreatePlant, openFunctions } from "../functions.ts";
import { promptFate } from "../schedule.ts";
import { type Answer, answerOf } from "../situation.ts";
import { type Agenda, createAgenda, createChronicle } from "../world/agenda.ts";
import { createEnvironment } from "../world/environment.ts";
import { createNetwork } from "../world/network.ts";
import { createRandom } from "../world/random.ts";
import { runIn } from "../world/virtual-globals.ts";

/** The real state at a moment: the items of the database, and the time. */
export interface Moment {
  database: Database;
  /** Unix milliseconds. */
  now: number;
}

/** The real functions in one environment, invoked without faults at any given moment. */
export interface Stage {
  /** Invokes a function on a copy of the database, and returns its response and the state after it. */
  invoke(moment: Moment, invocation: Invocation): Promise<{ answer: Answer; moment: Moment }>;
}

export const createStage = (createPlant: CreatePlant = () => ({})): Stage => {
  const plant = createPlant();
  let moment: Moment;
  let agenda: Agenda;
  let calls = 0;

  const chronicle = createChronicle(() => 0);
  const database: Database = {
    perform: (operation, request) => moment.database.perform(operation, request),
    itemsOf: (table) => moment.database.itemsOf(table),
    deleteDue: (now) => moment.database.deleteDue(now),
    copy: () => moment.database.copy(),
  };
  const current: Agenda = {
    now: () => agenda.now(),
    plan: (delay, run) => agenda.plan(delay, run),
    runAll: () => agenda.runAll(),
  };
  const setMoment = ({ database, now }: Moment): void => {
    moment = { database: database.copy(), now };
    agenda = createAgenda(now);
  };

  agenda = createAgenda(0);
  const environment = createEnvironment({
    ...{ agenda: current, clockOffset: 0, timersStandStill: true },
    random: createRandom(1),
    log: () => {},
  });
  const connectEnvironment = createNetwork({
    agenda: current,
    database,
    chronicle,
    fateOf: () => promptFate,
    seam: plant.seam,
  });
  const functions = openFunctions(environment, { connectEnvironment, plant });

  return {
    async invoke(before, { functionName, event }) {
      setMoment(before);
      calls += 1;
      const id = calls;
      environment.resume();
      let answer: Answer | undefined;
      runIn(environment.processFor(id), async () => {
        answer = await answerOf(
          functions.handler(functionName)(
            event,
            contextOf(requestIdOf(id), () => 0),
          ),
        );
      });
      await current.runAll();
      environment.freeze();
      if (!answer) throw new Error(`${functionName} has not answered.`);
      return { answer, moment: { database: moment.database, now: agenda.now() } };
    },
  };
};
