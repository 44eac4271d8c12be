import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { isKeyId, keyIdLength } from "../../domain/keys/key-fields.ts";
import { text } from "../../shared/validation/fields.ts";
import { encodeCursor } from "../../shared/validation/paging.ts";
import { pageCursor, pageLimit } from "../admin-fields.ts";
import { adminContract } from "../contract.ts";
import { describeKey } from "./describe-key.ts";

const prefix = text(keyIdLength).check(z.meta({ description: "How the key_ids begin; case matters." }));

export const listKeys = action({
  contract: adminContract.list_keys,
  summary:
    "Returns a page of keys without their v_codes, in the table's own order, which is stable but not alphabetical. With prefix, only keys whose key_id begins with it: such a call reads up to 4 MB of the table, so a page may have few keys or none. While there are more, next_cursor is where the next page begins. examined is the number of items that were read.",
  uses: { keys: ["listWithHistory"] },
  input: z.strictObject({ limit: pageLimit, cursor: pageCursor(isKeyId), prefix: z.optional(prefix) }),
  example: {},
  async run({ limit, cursor, prefix }, { stores }) {
    const { keys, next, examined } = await stores.keys.listWithHistory({ limit, after: cursor, prefix });
    return {
      keys: keys.map((key) => describeKey(key, key)),
      next_cursor: next === undefined ? null : encodeCursor(next),
      examined,
    };
  },
});
