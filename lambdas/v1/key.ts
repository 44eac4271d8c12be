import * as z from "zod/mini";
import { text, withoutControlCharacters } from "../declaration/fields.ts";

/** The schemas of a key, shared by the endpoints under `/key`. */
export const keyId = text({ min: 1, max: 255 }).check(
  withoutControlCharacters,
  z.meta({ description: "Names the key. Any characters but control characters.", example: "1234567" }),
);

export const vCode = text({ min: 64, max: 64 }).check(
  z.meta({
    description: "The verification code: a secret of exactly 64 characters.",
    example: "aGVsbG8gaW50ZWdyYXRvcjogdGhpcyBpcyBhIHY2NCBjb2RlIG9mIDY0IGNoYXJz",
  }),
);

const time = z.iso.datetime({ precision: 3 });

export const key = z
  .object({
    key_id: keyId,
    v_code: vCode,
    created_at: time.check(z.meta({ description: "When the key was created.", example: "2026-11-21T10:15:30.123Z" })),
    updated_at: time.check(
      z.meta({ description: "When its v_code was last replaced.", example: "2026-11-21T10:15:30.123Z" }),
    ),
  })
  .check(z.meta({ id: "Key", description: "A key." }));

/** The path of a key, below its version. */
export const keyPath = (id: string): `/${string}` => `/key/${encodeURIComponent(id)}`;
