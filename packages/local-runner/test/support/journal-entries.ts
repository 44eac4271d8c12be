import { openJournal } from "../../src/database/storage/journal.ts";

/** The entries that a journal leads to. */
export const entriesOf = async (path: string): Promise<Record<string, unknown>> => {
  const entries = new Map<string, unknown>();
  const journal = await openJournal(path, async (changes) => {
    for (const [key, ...values] of changes) {
      if (values.length === 0) entries.delete(key);
      else entries.set(key, values[0]);
    }
  });
  journal.close();
  return Object.fromEntries(entries);
};
