/** Pseudo-random numbers from a seed. */
export interface Random {
  /** Returns a number that is at least 0 and less than 1. */
  next(): number;
  /** Returns a whole number that is at least 0 and less than `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
  bytes(length: number): Buffer;
}

/** Creates a splitmix32 generator, which has one state word that any seed fills well. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const word = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const below = (limit: number): number => Math.floor((word() / 2 ** 32) * limit);
  return {
    next: () => word() / 2 ** 32,
    below,
    chance: (probability) => word() / 2 ** 32 < probability,
    pick(values) {
      const index = below(values.length);
      for (const [position, value] of values.entries()) if (position === index) return value;
      throw new Error("There is nothing to pick from.");
    },
    bytes: (length) => Buffer.from(Uint8Array.from({ length }, () => word() & 255)),
  };
};
