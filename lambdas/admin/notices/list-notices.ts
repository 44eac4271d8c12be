import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { isNoticeId } from "../../domain/notices/notice.ts";
import { noticeOf } from "../../domain/notices/notices-table.ts";
import { encodeCursor } from "../../shared/validation/paging.ts";
import { pageCursor, pageLimit } from "../admin-fields.ts";
import { adminContract } from "../contract.ts";

export const notices = action({
  contract: adminContract.notices,
  summary:
    "Returns a page of the notices of the last 400 days, in no particular order, each with the state of its delivery to the topic and to the event bus. While there are more, next_cursor is where the next page begins.",
  uses: { notices: ["list"] },
  input: z.strictObject({ limit: pageLimit, cursor: pageCursor(isNoticeId) }),
  example: {},
  async run({ limit, cursor }, { stores }) {
    const { notices, next } = await stores.notices.list({ limit, after: cursor });
    return {
      notices: notices.map((record) => ({ ...noticeOf(record), topic: record.topic, bus: record.bus })),
      next_cursor: next === undefined ? null : encodeCursor(next),
    };
  },
});
