import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ValidationError } from "../../errors/api-error.ts";
import { keyId, taken, vCode } from "../../resources/keys/fields.ts";

export const createKey = action({
  route: "POST /keys",
  status: 201,
  summary: "Stores a key. The very same pair again is stored once.",
  uses: { keys: ["create"] },
  input: z.strictObject({ key_id: keyId, v_code: vCode }),
  async run(pair, { stores }) {
    const created = await stores.keys.create(pair);
    if (created.outcome === "taken") throw new ValidationError(taken);
    return created.key;
  },
});
