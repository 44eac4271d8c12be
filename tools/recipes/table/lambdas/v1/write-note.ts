import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { noteBody, noteName, noteText } from "../resources/notes/fields.ts";

export const writeNote = endpoint({
  method: "POST",
  path: "/note",
  summary: "Write a note",
  description: "Creates or replaces the note with this name.",
  uses: { notes: ["write"] },
  form: z.object({ name: noteName, text: noteText }),
  responses: { 200: { description: "The note.", body: noteBody } },
  example: { form: { name: "greeting", text: "Hello" } },
  async handler({ form }, { notes }) {
    return { status: 200, body: await notes.write(form) };
  },
});
