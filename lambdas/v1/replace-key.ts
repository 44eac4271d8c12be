import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { ApiError } from "../errors/api-error.ts";
import { keyId, vCode } from "../resources/keys/fields.ts";
import { key } from "./key.ts";

export const replaceKey = endpoint({
  method: "PUT",
  path: "/key/{key_id}",
  summary: "Replace the v_code of a key",
  description:
    "Replaces the `v_code` of a key that exists. Sending the same request again changes nothing but `updated_at`.",
  uses: { keys: ["replace"] },
  parameters: z.object({ key_id: keyId }),
  absent: "key_not_found",
  form: z.object({ v_code: vCode }),
  responses: {
    200: { description: "The key with its new `v_code`.", body: key },
  },
  async handler({ parameters, form }, { keys }) {
    const replaced = await keys.replace({ key_id: parameters.key_id, v_code: form.v_code });
    if (!replaced) throw new ApiError("key_not_found");
    return { status: 200, body: replaced };
  },
});
