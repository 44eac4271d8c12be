import { randomUUID } from "node:crypto";
import { deletableAfter, textOfLength, time } from "../../dynamodb/formats.ts";
import { type Table, table } from "../../dynamodb/table.ts";
import type { Note, NoteStore } from "./note-store.ts";

/** Late attempts arrive within seconds. A tombstone that has stopped them is of no use a day later. */
const tombstoneSeconds = 24 * 60 * 60;

/** Notes in a DynamoDB table. */
const dynamodbNoteStore = (table: Table<Note>): NoteStore => ({
  get: (name) => table.get({ name }),

  async write({ name, text }) {
    const { record } = await table.change(
      { name },
      {
        condition: "attribute_not_exists(updated_at) OR attribute_exists(updated_at)",
        appliesTo: () => true,
        set: () => ({ text }),
        remove: ["deletion_id", "delete_at"],
      },
    );
    if (!record) throw new Error("The note that was written does not exist.");
    return record;
  },

  async delete(name) {
    const { outcome } = await table.change(
      { name },
      {
        condition: "attribute_exists(updated_at) AND attribute_not_exists(deletion_id)",
        appliesTo: (note) => note !== undefined,
        set: (time) => ({ deletion_id: randomUUID(), delete_at: deletableAfter(time, tombstoneSeconds) }),
        remove: ["text"],
      },
    );
    return outcome !== "refused";
  },
});

export const notes = table<Note, NoteStore>({
  partitionKey: "name",
  timeOfChange: "updated_at",
  deletionMark: "deletion_id",
  timeToLive: "delete_at",
  fields: {
    name: textOfLength({ min: 1, max: 64 }),
    text: textOfLength({ min: 1, max: 500 }),
    updated_at: time,
  },
  rights: { get: ["GetItem"], write: ["UpdateItem"], delete: ["UpdateItem"] },
  createStore: dynamodbNoteStore,
  example: { name: "greeting", text: "Hello", updated_at: "2026-11-21T10:15:30.123Z" },
});
