import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { keyId } from "../../resources/keys/fields.ts";

export const getKey = action({
  route: "GET /keys/{key_id}",
  summary: "Answers a key with its v_code.",
  uses: { keys: ["get"] },
  input: z.strictObject({ key_id: keyId }),
  async run({ key_id }, { stores }) {
    const key = await stores.keys.get(key_id);
    if (!key) throw new ApiError("key_not_found");
    return key;
  },
});
