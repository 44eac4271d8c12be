// The engine of the embedded database for simulations, without a network.
export { type Engine, openEngine, type Response } from "./database/engine/engine.ts";
export { createMemoryStorage, type MemoryStorage, type Write } from "./database/engine/storage.ts";
export type { AttributeValue, Item } from "./database/engine/values.ts";
