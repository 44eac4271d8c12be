import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { exampleKey, keyId } from "../domain/keys/key-fields.ts";

export const deleteKey = endpoint({
  method: "DELETE",
  path: "/key/{key_id}",
  summary: "Delete a key",
  description:
    "Deletes the key with this `key_id`. Deleting it a second time returns `404`. If you send the `ETag` of the key in `If-Match`, the key is deleted only if it has not changed since.",
  uses: { keys: ["delete"] },
  parameters: z.object({ key_id: keyId }),
  errors: ["key_not_found", "precondition_failed"],
  responses: {
    204: { description: "The key was deleted." },
  },
  example: { parameters: { key_id: exampleKey.key_id } },
  async handler({ parameters, ifMatch, caller }, { keys }, errors) {
    switch (await keys.delete(parameters.key_id, caller.author, ifMatch)) {
      case "deleted":
        return { status: 204 };
      case "changed":
        throw errors.precondition_failed();
      case "not found":
        throw errors.key_not_found();
    }
  },
});
