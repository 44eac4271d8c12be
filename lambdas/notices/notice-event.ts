import type { NoticeKind } from "../domain/notices/notice.ts";

/** The environment variables that name the topic and the event bus. */
export const topicVariable = "NOTICE_TOPIC_ARN";
export const busVariable = "NOTICE_BUS_NAME";

/** The events' `source`. */
export const eventSource = "integration-api";

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
