import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleKey, keyId } from "../../domain/keys/key-fields.ts";
import { ApiError } from "../../shared/errors/api-error.ts";
import { adminContract } from "../contract.ts";
import { describeKey } from "./describe-key.ts";

export const getKey = action({
  contract: adminContract.get_key,
  summary: "Returns a key without its v_code.",
  uses: { keys: ["getWithHistory"] },
  input: z.strictObject({ key_id: keyId }),
  example: { key_id: exampleKey.key_id },
  async run({ key_id }, { stores }) {
    const found = await stores.keys.getWithHistory(key_id);
    if (!found?.key) throw new ApiError("key_not_found");
    return describeKey(found.key, found);
  },
});
