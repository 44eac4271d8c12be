import { resource, service } from "./declaration/service.ts";
import { keys as keysTable } from "./resources/keys/keys-table.ts";
import * as keyEndpoints from "./v1/keys.ts";
import * as tokenEndpoints from "./v1/tokens.ts";

const folder = "lambdas/v1";

/** What clients do with their own tokens. */
export const tokens = resource({ name: "tokens", folder, endpoints: tokenEndpoints });

/** The keys that clients store. */
export const keys = resource({ name: "keys", folder, endpoints: keyEndpoints, tables: { keys: keysTable } });

/** This service: everything that is deployed, run locally and documented follows from it. */
export const api = service({ title: "Integration API", versions: { v1: [tokens, keys] } });
