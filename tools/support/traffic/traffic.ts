import { setTimeout as sleep } from "node:timers/promises";
import { type KeyAction, keyModel } from "../linearizability/key-model.ts";
import type { Model } from "../linearizability/linearizability.ts";
import { type TokenAction, tokenModel } from "../linearizability/token-model.ts";
import { createCaller, type Target } from "./caller.ts";
import { addresses, createClients } from "./clients.ts";
import { createHistories, createJudge } from "./history.ts";
import { createLimitWatch } from "./limit-watch.ts";
import { createRecordedChanges } from "./recorded-changes.ts";
import { createStock } from "./stock.ts";
import { createTokenChanges } from "./token-changes.ts";
import { createTokenPool } from "./token-pool.ts";

interface TrafficOptions {
  /** Chooses the version for the next call. */
  chooseTarget: () => Target;
  clients?: number;
  /** How long a client waits between two calls. */
  pauseMs?: number;
  /** How long the admin waits between two actions. */
  adminPauseMs?: number;
  /** How many clients change their own tokens. A version that does not know these calls needs none. */
  changers?: number;
}

/** A stretch of traffic: whether it is over, and a wait that ends with it. */
interface Stretch {
  isOver: () => boolean;
  pause: (milliseconds: number) => Promise<unknown>;
}

export const stretchUntil = (isEnough: () => boolean): Stretch => {
  const end = Promise.withResolvers<void>();
  return {
    isOver() {
      const isOver = isEnough();
      if (isOver) end.resolve();
      return isOver;
    },
    pause: (milliseconds) => Promise.race([sleep(milliseconds), end.promise]),
  };
};

/**
 * Clients at many addresses and an admin, who use the service at the same time; and a check whether all responses that they got
 * are possible, and whether everything that was acknowledged is still there. A call may fail, for example on a busy machine or
 * because something is killed: then it is unknown whether it has taken effect.
 */
export const createTraffic = (options: TrafficOptions) => {
  const { chooseTarget, clients = 10, pauseMs = 40, adminPauseMs = 150, changers = 0 } = options;
  const differences: string[] = [];
  const keys = createHistories<KeyAction>();
  const events = createHistories<TokenAction>();
  const recorded = createRecordedChanges();
  const caller = createCaller({ chooseTarget, differences, onAnswer: recorded.note });
  const pool = createTokenPool({ chooseTarget, events, onChange: recorded.noteChange });
  const limits = createLimitWatch();
  const judge = createJudge({ limits, events, differences });
  const { act, administer } = createClients({ pool, caller, judge, keys, differences });

  const changes = createTokenChanges({ pool, caller, events, differences, addresses });

  return {
    /** All differences that were found. */
    differences,
    caller,
    pool,
    keys,
    events,
    limits,
    changes,
    recorded,
    stock: createStock({ pool, caller, judge, keys, differences }),
    /** Sends calls until the stretch is over. */
    async send({ isOver, pause }: Stretch): Promise<void> {
      const client = async () => {
        while (!isOver()) {
          await act();
          await pause(pauseMs * (0.5 + Math.random()));
        }
      };
      const admin = async () => {
        while (!isOver()) {
          await administer();
          await pause(adminPauseMs);
        }
      };
      const changer = async () => {
        while (!isOver()) {
          await changes.act();
          await pause(pauseMs * (0.5 + Math.random()));
        }
      };
      await Promise.all([
        admin(),
        ...Array.from({ length: clients }, client),
        ...Array.from({ length: changers }, changer),
      ]);
    },
    /** The keys and tokens whose histories cannot have happened. */
    impossibleHistories: (): string[] => [
      ...keys.impossible(() => keyModel as Model<unknown, KeyAction>),
      ...events.impossible(() => tokenModel() as Model<unknown, TokenAction>),
    ],
  };
};
