import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { cursor, encodeCursor } from "../../validation/paging.ts";
import { adminContract } from "../contract.ts";
import { pageLimit } from "../fields.ts";

export const listKeys = action({
  contract: adminContract.list_keys,
  summary:
    "Returns a page of keys, in no particular order and without their v_codes. While there are more, next_cursor is where the next page begins.",
  uses: { keys: ["list"] },
  input: z.strictObject({ limit: pageLimit, cursor }),
  example: {},
  async run({ limit, cursor }, { stores }) {
    const { keys, next } = await stores.keys.list({ limit, after: cursor });
    return { keys, next_cursor: next === undefined ? null : encodeCursor(next) };
  },
});
