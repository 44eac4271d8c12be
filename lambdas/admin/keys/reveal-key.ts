import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { exampleKey, keyId } from "../../resources/keys/fields.ts";
import { adminContract } from "../contract.ts";

export const revealKey = action({
  contract: adminContract.reveal_key,
  summary: "Returns a key with its v_code. The log records who asked.",
  uses: { keys: ["get"] },
  input: z.strictObject({ key_id: keyId }),
  example: { key_id: exampleKey.key_id },
  async run({ key_id }, { stores }) {
    const key = await stores.keys.get(key_id);
    if (!key) throw new ApiError("key_not_found");
    return key;
  },
});
