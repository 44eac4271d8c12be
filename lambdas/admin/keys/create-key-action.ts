import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleKey, taken, writtenKey } from "../../domain/keys/key-fields.ts";
import { ValidationError } from "../../shared/errors/api-error.ts";
import { adminContract } from "../contract.ts";
import { describeKey } from "./describe-key.ts";

export const createKey = action({
  contract: adminContract.create_key,
  summary: "Stores a key. Repeating the call with the same pair stores it once.",
  uses: { keys: ["create", "getWithHistory"] },
  input: z.strictObject(writtenKey.shape),
  example: exampleKey,
  async run(written, { author, stores: { keys } }) {
    const created = await keys.create(written, author);
    if (created.outcome === "taken") throw new ValidationError(taken);
    return describeKey(created.key, await keys.getWithHistory(written.key_id));
  },
});
