import * as z from "zod/mini";
import { type NoticeKind, noticeKinds } from "../domain/notices/notice.ts";

/** The environment variables that name the topic and the event bus. */
export const topicVariable = "NOTICE_TOPIC_ARN";
export const busVariable = "NOTICE_BUS_NAME";

/** The events' `source`. */
export const eventSource = "integration-api";

/** The `detail` of an event on the bus. New fields may be added, but existing fields are never removed or given another meaning. */
export const noticeEvent = z.object({
  notice_id: z.string().check(z.meta({ description: "The same for the same event: nothing is sent twice." })),
  kind: z.enum(noticeKinds),
  token_id: z
    .nullable(z.string())
    .check(z.meta({ description: "The id of the token or of the trusted workload, which is not secret." })),
  comment: z.string().check(z.meta({ description: "What the token is for, as an admin wrote it." })),
  client: z.nullable(z.string()).check(z.meta({ description: "Whom the token belongs to; null if it has no client." })),
  ip: z.nullable(z.string()).check(z.meta({ description: "The address of the token; null while it is not known." })),
  found_at: z.string().check(z.meta({ description: "When it was found: RFC 3339, UTC." })),
  details: z.record(z.string(), z.string()).check(z.meta({ description: "What else there is to know, by kind." })),
});

export type NoticeEvent = z.output<typeof noticeEvent>;

/** The `detail-type` for each kind of notice. */
export const detailTypes: Readonly<Record<NoticeKind, string>> = {
  token_expires: "Token Expires",
  rotation_unfinished: "Token Rotation Unfinished",
  token_unused: "Token Unused",
  invitation_unused: "Invitation Unused",
  confirmation_waiting: "Confirmation Waiting",
  token_leaked: "Token Leaked",
  trust_ends: "Trust Ends",
  issuer_unreachable: "Issuer Unreachable",
  delivery_uncertain: "Notice Delivery Uncertain",
};
