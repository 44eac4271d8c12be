import * as z from "zod/mini";
import { noticeKinds } from "../../resources/notices/notice.ts";

/*
 * What the action `notices` returns. The web interface validates responses with these schemas, so this file must not import
 * anything that only runs on a server.
 */

/** The state of a delivery. `uncertain`: it may have arrived, and is not sent again. */
const delivery = z.enum(["pending", "sending", "sent", "uncertain"]);

const notice = z.object({
  notice_id: z.string(),
  kind: z.enum(noticeKinds),
  /** Null for a notice about notices. */
  token_id: z.nullable(z.string()),
  comment: z.string(),
  ip: z.nullable(z.string()),
  details: z.record(z.string(), z.string()),
  /** RFC 3339, UTC, with milliseconds. */
  found_at: z.string(),
  topic: delivery,
  bus: delivery,
});

export const noticePage = z.object({ notices: z.array(notice), next_cursor: z.nullable(z.string()) });
