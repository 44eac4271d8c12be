import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { ValidationError } from "../errors/api-error.ts";
import { keyId, taken, vCode } from "../resources/keys/fields.ts";
import { key } from "./key.ts";

export const createKey = endpoint({
  method: "POST",
  path: "/key",
  summary: "Create a key",
  description:
    "Stores a `key_id` with its `v_code`. A request whose answer was lost can be sent again: the same pair is stored once. A `key_id` that is there with another `v_code` is refused; replace it with `PUT`.",
  uses: { keys: ["create"] },
  form: z.object({ key_id: keyId, v_code: vCode }),
  responses: {
    201: { description: "The key was created.", body: key, location: true },
    200: { description: "The very same pair was stored before; here it is.", body: key },
  },
  conflicts: { taken },
  async handler({ form }, { keys }) {
    const created = await keys.create(form);
    switch (created.outcome) {
      case "created":
        return { status: 201, body: created.key, location: pathOf(created.key) };
      case "unchanged":
        return { status: 200, body: created.key };
      case "taken":
        throw new ValidationError(taken);
    }
  },
});

const pathOf = ({ key_id }: { key_id: string }): `/${string}` => `/key/${encodeURIComponent(key_id)}`;
