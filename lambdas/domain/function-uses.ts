import { mergeUses, type Uses, type UsesOf } from "../dynamodb/uses.ts";
import type { BuiltInTables } from "./built-in-stores.ts";

/** The token operations that every endpoint's function performs, besides those of its handler. */
export const tokenCheck = { tokens: ["find", "recordUse"], limits: ["take"] } as const satisfies UsesOf<BuiltInTables>;

/**
 * Returns the operations of an endpoint's function: the operations that check its caller, and those of the handler. For workloads,
 * the handler checks the caller.
 */
export const endpointUses = ({ uses, credential }: { uses: Uses; credential?: string }): Uses =>
  credential === "workload" ? uses : mergeUses(uses, tokenCheck);

/**
 * The operations of the usage function. It counts the use of tokens, and notifies people of leaks and requests for confirmation.
 */
export const usageCount = {
  usage: ["add", "noteLeak"],
  tokens: ["find"],
  notices: ["add", "claim", "settle"],
} as const satisfies UsesOf<BuiltInTables>;

/** The operations of the notices function, which runs once a day. */
export const noticeSearch = {
  tokens: ["list"],
  keys: ["changed", "forget"],
  history: ["archive"],
  notices: ["list", "add", "claim", "settle"],
} as const satisfies UsesOf<BuiltInTables>;
