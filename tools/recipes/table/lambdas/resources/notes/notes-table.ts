import { textOfLength, time } from "../../dynamodb/formats.ts";
import { table } from "../../dynamodb/table.ts";
import { dynamodbNoteStore } from "./dynamodb-note-store.ts";
import type { Note, NoteStore } from "./note-store.ts";

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
