import type { Call } from "./schedule.ts";
import { clientAddress, otherAddress } from "./situation.ts";

/**
 * Sensible orders of calls, which are rare among random ones. Calls whose response might be lost are repeated. A reference to an
 * operation is its position in the order.
 */
export const stories: readonly (readonly Call[])[] = [
  [
    { kind: "create", key: "two", letter: "b", door: "api", token: "setup" },
    { kind: "replace", key: "two", letter: "c", door: "api", token: "setup" },
    { kind: "delete", key: "two", door: "api", token: "setup" },
    { kind: "create", key: "two", letter: "a", door: "api", token: "setup" },
  ],
  [
    { kind: "update", token: "setup", limit: 2 },
    { kind: "rotate", token: "setup", graceSeconds: 3_600 },
    { kind: "revoke", token: "setup" },
    { kind: "use", token: "setup", as: "itself" },
  ],
  [
    { kind: "rotate own", token: "setup", from: "home", graceSeconds: 0 },
    { kind: "rotate own", token: "setup", from: "home", graceSeconds: 0 },
    { kind: "use", token: 0, as: "itself" },
  ],
  [
    { kind: "invite", isKnown: false },
    { kind: "redeem", token: 0, from: "home" },
    { kind: "confirm", asked: 1, as: "shown" },
    { kind: "redeem", token: 0, from: "home" },
    { kind: "redeem", token: 0, from: "home" },
    { kind: "use", token: 3, as: "itself" },
    { kind: "leave", token: 3, from: "away" },
  ],
  [
    { kind: "move", token: "setup", from: "away" },
    { kind: "confirm", asked: 0, as: "shown" },
    { kind: "move", token: "setup", from: "away" },
    { kind: "move", token: "setup", from: "away" },
    { kind: "use", token: "setup", as: "itself" },
    { kind: "revoke", token: "setup" },
  ],
  [
    { kind: "move", token: "setup", from: "away" },
    { kind: "reject", asked: 0, as: "shown" },
    { kind: "move", token: "setup", from: "away" },
    { kind: "leave", token: "setup", from: "away" },
  ],
  [
    { kind: "exchange", token: "trust", from: "home", jwt: 0 },
    { kind: "exchange", token: "trust", from: "home", jwt: 0 },
    { kind: "use", token: 0, as: "itself" },
    { kind: "end_trust", token: "trust" },
    { kind: "create_trust", token: "trust" },
    { kind: "use", token: 0, as: "itself" },
  ],
  [
    { kind: "exchange", token: "trust", from: "home", jwt: 0 },
    { kind: "rotate own", token: 0, from: "home", graceSeconds: 0 },
    { kind: "use", token: 1, as: "itself" },
    { kind: "update_trust", token: "trust", ip: otherAddress },
    { kind: "use", token: 1, as: "itself" },
    { kind: "update_trust", token: "trust", ip: clientAddress },
    { kind: "use", token: 1, as: "itself" },
  ],
];
