import * as z from "zod/mini";

/*
 * What the actions on keys return. The web interface validates responses with these schemas, so this file must not import
 * anything that only runs on a server. Times are RFC 3339, UTC, with milliseconds.
 */

/** A key without its v_code, which is a secret that an admin sees only on request. */
export const listedKey = z.object({
  key_id: z.string(),
  created_at: z.string(),
  /** An admin, or `token:<token id>`; null if a release without histories created it. */
  created_by: z.nullable(z.string()),
  updated_at: z.string(),
  /** Who changed it last, in the same form. */
  updated_by: z.nullable(z.string()),
});

/** A key with its v_code: the response to `reveal_key` and to nothing else. */
export const key = z.extend(z.omit(listedKey, { created_by: true, updated_by: true }), { v_code: z.string() });

export const keyPage = z.object({
  keys: z.array(listedKey),
  next_cursor: z.nullable(z.string()),
  /** How many items of the table were read for the page, which determines its cost. */
  examined: z.number(),
});
