import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { exampleKey, keyId } from "../resources/keys/fields.ts";

export const deleteKey = endpoint({
  method: "DELETE",
  path: "/key/{key_id}",
  summary: "Delete a key",
  description: "Deletes the key with this `key_id`. Deleting it a second time returns `404`.",
  uses: { keys: ["delete"] },
  parameters: z.object({ key_id: keyId }),
  errors: ["key_not_found"],
  responses: {
    204: { description: "The key was deleted." },
  },
  example: { parameters: { key_id: exampleKey.key_id } },
  async handler({ parameters }, { keys }, errors) {
    const deleted = await keys.delete(parameters.key_id);
    if (!deleted) throw errors.key_not_found();
    return { status: 204 };
  },
});
