import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { noteName } from "../resources/notes/fields.ts";

export const deleteNote = endpoint({
  method: "DELETE",
  path: "/note/{name}",
  summary: "Delete a note",
  description: "Deletes the note with this name.",
  uses: { notes: ["delete"] },
  parameters: z.object({ name: noteName }),
  errors: ["note_not_found"],
  responses: { 204: { description: "The note was deleted." } },
  example: { parameters: { name: "greeting" } },
  async handler({ parameters }, { notes }, errors) {
    if (!(await notes.delete(parameters.name))) throw errors.note_not_found();
    return { status: 204 };
  },
});
