import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { keyId, vCode } from "../../resources/keys/fields.ts";

export const replaceKey = action({
  route: "PUT /keys/{key_id}",
  summary: "Replaces the v_code of a key.",
  uses: { keys: ["replace"] },
  input: z.strictObject({ key_id: keyId, v_code: vCode }),
  async run(pair, { stores }) {
    const key = await stores.keys.replace(pair);
    if (!key) throw new ApiError("key_not_found");
    return key;
  },
});
