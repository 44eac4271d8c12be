import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { keyId } from "../../resources/keys/fields.ts";

export const deleteKey = action({
  route: "DELETE /keys/{key_id}",
  status: 204,
  summary: "Deletes a key.",
  uses: { keys: ["delete"] },
  input: z.strictObject({ key_id: keyId }),
  async run({ key_id }, { stores }) {
    const deleted = await stores.keys.delete(key_id);
    if (!deleted) throw new ApiError("key_not_found");
  },
});
