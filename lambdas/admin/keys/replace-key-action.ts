import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleKey, keyId, vCode } from "../../domain/keys/key-fields.ts";
import { ApiError } from "../../shared/errors/api-error.ts";
import { adminContract } from "../contract.ts";
import { describeKey } from "./describe-key.ts";

export const replaceKey = action({
  contract: adminContract.replace_key,
  summary: "Replaces the v_code of a key.",
  uses: { keys: ["replace", "getWithHistory"] },
  input: z.strictObject({ key_id: keyId, v_code: vCode }),
  example: exampleKey,
  async run(pair, { author, stores: { keys } }) {
    const replaced = await keys.replace(pair, author);
    if (replaced.outcome !== "replaced") throw new ApiError("key_not_found");
    return describeKey(replaced.key, await keys.getWithHistory(pair.key_id));
  },
});
