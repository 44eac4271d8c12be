import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { noteBody, noteName } from "../resources/notes/fields.ts";

export const getNote = endpoint({
  method: "GET",
  path: "/note/{name}",
  summary: "Read a note",
  description: "Returns the note with this name.",
  uses: { notes: ["get"] },
  parameters: z.object({ name: noteName }),
  errors: ["note_not_found"],
  responses: { 200: { description: "The note.", body: noteBody } },
  example: { parameters: { name: "greeting" } },
  async handler({ parameters }, { notes }, errors) {
    const note = await notes.get(parameters.name);
    if (!note) throw errors.note_not_found();
    return { status: 200, body: note };
  },
});
