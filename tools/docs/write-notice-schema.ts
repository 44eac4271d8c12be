import { writeFile } from "node:fs/promises";
import * as z from "zod/mini";
import { detailTypes, eventSource, noticeEvent } from "../../lambdas/functions/notices/notice-event.ts";

/** The JSON Schema of the events for notices, as rules of EventBridge get them. */
export const noticeSchema = (): string => {
  const { $schema, ...detail } = z.toJSONSchema(noticeEvent, { target: "draft-2020-12" });
  const schema = {
    $schema,
    title: "A notice of the Integration API, as an event on its bus",
    type: "object",
    properties: {
      source: { const: eventSource },
      "detail-type": { enum: Object.values(detailTypes) },
      detail: { ...detail, additionalProperties: true },
    },
    required: ["source", "detail-type", "detail"],
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
};

if (import.meta.main) await writeFile("docs/notice-event.schema.json", noticeSchema());
