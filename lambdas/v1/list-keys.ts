import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { isKeyId, key } from "../domain/keys/key-fields.ts";
import { cursor, limit } from "../shared/validation/paging.ts";

export const listKeys = endpoint({
  method: "GET",
  path: "/key",
  summary: "List keys",
  description:
    'Returns a page of keys, in no particular order. A page has at most `limit` keys. Without `limit`, it has as many keys as fit into a response of about 4 MB. If there are more keys, the `Link` header has the address of the next page, with `rel="next"`. A page can have fewer keys than `limit` without being the last one.',
  uses: { keys: ["list"] },
  readsAhead: true,
  query: z.object({ limit: limit({ max: 1000 }), cursor: cursor(isKeyId) }),
  responses: {
    200: { description: "A page of keys.", body: z.array(key), paged: true },
  },
  example: {},
  async handler({ query }, { keys }) {
    const page = await keys.list({ limit: query.limit, after: query.cursor });
    return { status: 200, body: page.keys, next: page.next };
  },
});
