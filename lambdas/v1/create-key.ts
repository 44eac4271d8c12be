import { endpoint } from "../declaration/endpoint.ts";
import { exampleKey, key, taken, writtenKey } from "../domain/keys/key-fields.ts";
import { versionOf } from "../dynamodb/versions.ts";

export const createKey = endpoint({
  method: "POST",
  path: "/key",
  summary: "Create a key",
  description:
    "Stores a `key_id` with its `v_code`. You can repeat the call safely, because the same pair is stored once. A `key_id` that already exists with a different `v_code` is rejected. Use `PUT` to replace the `v_code`.",
  uses: { keys: ["create"] },
  form: writtenKey,
  repeatable: true,
  validationErrors: { taken },
  responses: {
    201: { description: "The key was created.", body: key, location: true, versioned: true },
    200: { description: "The same pair already existed and is returned as it was stored.", body: key, versioned: true },
  },
  example: { form: exampleKey },
  async handler({ form, caller }, { keys }, errors) {
    const created = await keys.create(form, caller.author);
    switch (created.outcome) {
      case "created":
        return { status: 201, body: created.key, version: versionOf(created.key), location: pathOf(created.key) };
      case "unchanged":
        return { status: 200, body: created.key, version: versionOf(created.key) };
      case "taken":
        throw errors.taken();
    }
  },
});

const pathOf = ({ key_id }: { key_id: string }): `/${string}` => `/key/${encodeURIComponent(key_id)}`;
