import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { exampleKey, key, keyId } from "../domain/keys/key-fields.ts";
import { versionOf } from "../dynamodb/versions.ts";

export const getKey = endpoint({
  method: "GET",
  path: "/key/{key_id}",
  summary: "Read a key",
  description: "Returns the key with this `key_id`.",
  uses: { keys: ["get"] },
  readsAhead: true,
  parameters: z.object({ key_id: keyId }),
  errors: ["key_not_found"],
  responses: {
    200: { description: "The key.", body: key, versioned: true },
  },
  example: { parameters: { key_id: exampleKey.key_id } },
  async handler({ parameters }, { keys }, errors) {
    const found = await keys.get(parameters.key_id);
    if (!found) throw errors.key_not_found();
    return { status: 200, body: found, version: versionOf(found) };
  },
});
