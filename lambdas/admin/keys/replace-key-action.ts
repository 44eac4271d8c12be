import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { editedContents, exampleKey, keyId, replaceable } from "../../domain/keys/key-fields.ts";
import { ApiError } from "../../shared/errors/api-error.ts";
import { adminContract } from "../contract.ts";
import { describeKey } from "./describe-key.ts";

export const replaceKey = action({
  contract: adminContract.replace_key,
  summary: `Replaces the ${replaceable} of a key.`,
  uses: { keys: ["replace", "getWithHistory"] },
  input: z.strictObject({ key_id: keyId, ...editedContents.shape }),
  example: exampleKey,
  async run(written, { author, stores: { keys } }) {
    const replaced = await keys.replace(written, author);
    if (replaced.outcome !== "replaced") throw new ApiError("key_not_found");
    return describeKey(replaced.key, await keys.getWithHistory(written.key_id));
  },
});
