import { busy, scripted } from "../../../packages/client/test/support/scripted-service.ts";
import type { TestService } from "../../support/service.ts";
import type { Call, ClientOptions, Driver, Outcome } from "./drivers.ts";

export type CallClient = (call: Call) => Promise<Outcome>;

/** What a behaviour has at hand. */
export interface World {
  service: TestService;
  /** A token of the service for this machine. */
  token: string;
  /** Opens a client, by default of the service. */
  open(options?: Partial<ClientOptions>): Promise<CallClient>;
  /** Starts another program, which can be killed: a client of its own, by default of the service. */
  start(options?: Partial<ClientOptions>): Promise<{ client: CallClient } & Pick<Driver, "next" | "kill">>;
}

/** What every client does, by the sentences that say it. Each throws if a client does something else. */
export type Behaviours = Record<string, (world: World) => Promise<void>>;

export const vCode = "v".repeat(64);
export const otherVCode = "w".repeat(64);

/** A key as a scripted service returns it. */
export const keyNamed = (key_id: string) => ({
  key_id,
  v_code: vCode,
  created_at: "2026-11-21T10:15:30.123Z",
  updated_at: "2026-11-21T10:15:30.123Z",
});

/** A service that no call should reach. */
export const uncalled = () => scripted(...Array.from({ length: 100 }, () => busy(500)));
