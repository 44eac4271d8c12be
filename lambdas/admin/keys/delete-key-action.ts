import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleKey, keyId } from "../../domain/keys/key-fields.ts";
import { ApiError } from "../../shared/errors/api-error.ts";
import { adminContract } from "../contract.ts";

export const deleteKey = action({
  contract: adminContract.delete_key,
  summary: "Deletes a key.",
  uses: { keys: ["delete"] },
  input: z.strictObject({ key_id: keyId }),
  example: { key_id: exampleKey.key_id },
  async run({ key_id }, { author, stores }) {
    const outcome = await stores.keys.delete(key_id, author);
    if (outcome !== "deleted") throw new ApiError("key_not_found");
    return undefined;
  },
});
