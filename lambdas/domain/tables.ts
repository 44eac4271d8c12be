// The service's tables, by store name. Each table is declared in the folder of its resource and listed here.

export { history } from "./history/history-table.ts";
export { keys } from "./keys/keys-table.ts";
export { limits } from "./limits/limits-table.ts";
export { notices } from "./notices/notices-table.ts";
export { tokens } from "./tokens/tokens-table.ts";
export { usage } from "./usage/usage-table.ts";
