import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleKey, keyId, taken, vCode } from "../../domain/keys/key-fields.ts";
import { ValidationError } from "../../shared/errors/api-error.ts";
import { adminContract } from "../contract.ts";
import { describeKey } from "./describe-key.ts";

export const createKey = action({
  contract: adminContract.create_key,
  summary: "Stores a key. Repeating the call with the same pair stores it once.",
  uses: { keys: ["create", "getWithHistory"] },
  input: z.strictObject({ key_id: keyId, v_code: vCode }),
  example: exampleKey,
  async run(pair, { author, stores: { keys } }) {
    const created = await keys.create(pair, author);
    if (created.outcome === "taken") throw new ValidationError(taken);
    return describeKey(created.key, await keys.getWithHistory(pair.key_id));
  },
});
