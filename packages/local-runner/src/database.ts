// The engine of the embedded database, without a network, for simulations.
export type { Write } from "./database/engine/context.ts";
export { type Engine, openEngine, type Response } from "./database/engine/engine.ts";
export { createMemoryStorage, type MemoryStorage } from "./database/engine/storage.ts";
export type { AttributeValue, Item } from "./database/engine/values.ts";
