import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { exampleKey, keyId, vCode } from "../resources/keys/fields.ts";
import { key } from "./key.ts";

export const replaceKey = endpoint({
  method: "PUT",
  path: "/key/{key_id}",
  summary: "Replace the v_code of a key",
  description: "Replaces the `v_code` of an existing key. Repeating the request changes only `updated_at`.",
  uses: { keys: ["replace"] },
  parameters: z.object({ key_id: keyId }),
  form: z.object({ v_code: vCode }),
  errors: ["key_not_found"],
  responses: {
    200: { description: "The key with its new `v_code`.", body: key },
  },
  example: { parameters: { key_id: exampleKey.key_id }, form: { v_code: exampleKey.v_code } },
  async handler({ parameters, form }, { keys }, errors) {
    const replaced = await keys.replace({ key_id: parameters.key_id, v_code: form.v_code });
    if (!replaced) throw errors.key_not_found();
    return { status: 200, body: replaced };
  },
});
