import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleKey, keyId } from "../../domain/keys/key-fields.ts";
import { ApiError } from "../../shared/errors/api-error.ts";
import { adminContract } from "../contract.ts";

export const revealKey = action({
  contract: adminContract.reveal_key,
  summary:
    "Returns a key with its v_code. The history of the key and the log record who asked: a v_code that cannot be recorded is not shown.",
  uses: { keys: ["get"], history: ["recordReveal"] },
  input: z.strictObject({ key_id: keyId }),
  example: { key_id: exampleKey.key_id },
  async run({ key_id }, { author, stores }) {
    const key = await stores.keys.get(key_id);
    if (!key) throw new ApiError("key_not_found");
    await stores.history.recordReveal(key_id, author);
    return key;
  },
});
