import type { Table } from "./tables.ts";
import type { Item } from "./values.ts";

/** Stores an item at a place, or removes the item there. */
export type Change = [place: string, item: Item | undefined];

/** Where the engine stores its rows, sorted by place. Items are never modified in place. */
export interface Storage {
  get: (place: string) => Item | undefined;
  /** Iterates over the rows from one place up to but not including another, forwards or backwards. */
  range: (from: string, before: string, isBackwards?: boolean) => Iterable<[place: string, item: Item]>;
  /** Makes all changes or none. Once this returns, they survive the end of the process. */
  write: (changes: Iterable<Change>) => void;
}

export interface MemoryStorage extends Storage {
  /** Returns an independent copy. */
  copy: () => MemoryStorage;
}

/** Stores rows in memory. */
export const createMemoryStorage = (places: string[] = [], items = new Map<string, Item>()): MemoryStorage => {
  /** Counts the places before this one. */
  const countBefore = (place: string): number => {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] ?? "") < place) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    get: (place) => items.get(place),
    *range(from, before, isBackwards = false) {
      const found = places.slice(countBefore(from), countBefore(before));
      for (const place of isBackwards ? found.reverse() : found) {
        const item = items.get(place);
        if (item) yield [place, item];
      }
    },
    write(changes) {
      for (const [place, item] of changes) {
        const isKnown = items.has(place);
        if (item !== undefined && !isKnown) places.splice(countBefore(place), 0, place);
        if (item === undefined && isKnown) places.splice(countBefore(place), 1);
        if (item === undefined) items.delete(place);
        else items.set(place, item);
      }
    },
    copy: () => createMemoryStorage([...places], new Map(items)),
  };
};

/** A change to one item. */
export interface Write {
  table: string;
  key: Item;
  before: Item | undefined;
  after: Item | undefined;
}

/** The shared state of the operations. */
export interface Context {
  storage: Storage;
  tables: Map<string, Table>;
  /** @throws {DatabaseError} if the table doesn't exist */
  tableNamed: (name: string) => Table;
  /** The completed transactions of the last minutes, by the place of their token, the oldest first. */
  transactions: Map<string, { digest: string; time: number }>;
  arnOf: (table: string) => string;
  now: () => number;
  /** Called for each item that was written. */
  onWrite: (write: Write) => void;
}
