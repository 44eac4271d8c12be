import * as z from "zod/mini";
import { text, withoutControlCharacters } from "../../validation/fields.ts";

export const noteName = text({ min: 1, max: 64 }).check(withoutControlCharacters, z.meta({ examples: ["greeting"] }));
export const noteText = text({ min: 1, max: 500 }).check(z.meta({ examples: ["Hello"] }));

export const noteBody = z.object({
  name: noteName,
  text: noteText,
  updated_at: z.string().check(z.meta({ examples: ["2026-11-21T10:15:30.123Z"] })),
});
