import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { exampleKey, key, keyContents, keyId, replaceable } from "../domain/keys/key-fields.ts";
import { versionOf } from "../dynamodb/versions.ts";

/** The fields that are replaced, as the description names them. */
const inCode = replaceable === "v_code" ? "`v_code`" : replaceable;

export const replaceKey = endpoint({
  method: "PUT",
  path: "/key/{key_id}",
  summary: `Replace the ${replaceable} of a key`,
  description: `Replaces the ${inCode} of an existing key. Repeating the request changes only \`updated_at\`. If you send the \`ETag\` of the key in \`If-Match\`, the key is changed only if nobody else has changed it since.`,
  uses: { keys: ["replace"] },
  parameters: z.object({ key_id: keyId }),
  form: keyContents,
  errors: ["key_not_found", "precondition_failed"],
  responses: {
    200: { description: `The key with its new ${inCode}.`, body: key, versioned: true },
  },
  example: { parameters: { key_id: exampleKey.key_id }, form: { v_code: exampleKey.v_code } },
  async handler({ parameters: { key_id }, form, ifMatch, caller }, { keys }, errors) {
    const replaced = await keys.replace({ key_id, ...form }, caller.author, ifMatch);
    switch (replaced.outcome) {
      case "replaced":
        return { status: 200, body: replaced.key, version: versionOf(replaced.key) };
      case "changed":
        throw errors.precondition_failed();
      case "not found":
        throw errors.key_not_found();
    }
  },
});
