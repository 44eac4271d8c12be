import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { cursor, encodeCursor } from "../../validation/paging.ts";
import { pageLimit } from "../fields.ts";

export const listKeys = action({
  route: "GET /keys",
  summary:
    "Answers a page of keys, in no particular order and without their v_codes. While there are more, next_cursor begins the next page.",
  uses: { keys: ["list"] },
  input: z.strictObject({ limit: pageLimit, cursor }),
  async run({ limit, cursor }, { stores }) {
    const { keys, next } = await stores.keys.list({ limit, after: cursor });
    return {
      // A v_code is a secret: an admin sees the one that was asked for, not a page of them.
      keys: keys.map(({ v_code: _, ...key }) => key),
      next_cursor: next === undefined ? null : encodeCursor(next),
    };
  },
});
