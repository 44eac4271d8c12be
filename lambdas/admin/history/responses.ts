import * as z from "zod/mini";
import { changeKinds } from "../../resources/history/change-kinds.ts";

/*
 * What the action `history` returns. The web interface validates responses with these schemas, so this file must not import
 * anything that only runs on a server.
 */

/** A change of a token or of a key. */
const change = z.object({
  /** RFC 3339, UTC, with milliseconds. */
  time: z.string(),
  kind: z.enum(changeKinds),
  /** One of the two is null. */
  token_id: z.nullable(z.string()),
  key_id: z.nullable(z.string()),
  /** An admin's name, `invoke:<request id>[:<name>]`, or `token:<token id>`. */
  by: z.string(),
  /** The address that it came from; null for an invocation. */
  from: z.nullable(z.string()),
  request_id: z.string(),
  /** What else there is to know, such as the new expiry. */
  details: z.record(z.string(), z.string()),
});

export const changePage = z.object({
  /** Newest first. */
  changes: z.array(change),
  next_cursor: z.nullable(z.string()),
  /** How many older changes of the records that were read are no longer kept, whether or not they would fit the filters. */
  dropped: z.number(),
  /** How many records were read for the page: what it costs. */
  examined: z.number(),
});
