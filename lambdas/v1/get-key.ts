import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { ApiError } from "../errors/api-error.ts";
import { keyId } from "../resources/keys/fields.ts";
import { key } from "./key.ts";

export const getKey = endpoint({
  method: "GET",
  path: "/key/{key_id}",
  summary: "Read a key",
  description: "Answers the key with this `key_id`.",
  uses: { keys: ["get"] },
  readsAhead: "item",
  parameters: z.object({ key_id: keyId }),
  absent: "key_not_found",
  responses: {
    200: { description: "The key.", body: key },
  },
  async handler({ parameters }, { keys }) {
    const found = await keys.get(parameters.key_id);
    if (!found) throw new ApiError("key_not_found");
    return { status: 200, body: found };
  },
});
