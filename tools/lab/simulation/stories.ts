import type { Call } from "./schedule.ts";
import { clientAddress, otherAddress } from "./situation.ts";

/**
 * Sensible orders of calls about a trust, which are rare among random ones. Calls whose response might be lost are repeated. A
 * reference to an operation is its position in the order.
 */
export const stories: readonly (readonly Call[])[] = [
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
