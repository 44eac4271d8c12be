import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { ApiError } from "../errors/api-error.ts";
import { keyId } from "../resources/keys/fields.ts";

export const deleteKey = endpoint({
  method: "DELETE",
  path: "/key/{key_id}",
  summary: "Delete a key",
  description: "Deletes the key with this `key_id`. A second request for the same key answers `404`.",
  uses: { keys: ["delete"] },
  parameters: z.object({ key_id: keyId }),
  absent: "key_not_found",
  responses: {
    204: { description: "The key is gone." },
  },
  async handler({ parameters }, { keys }) {
    const deleted = await keys.delete(parameters.key_id);
    if (!deleted) throw new ApiError("key_not_found");
    return { status: 204 };
  },
});
