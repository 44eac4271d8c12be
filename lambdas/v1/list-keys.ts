import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { isKeyId, key } from "../domain/keys/key-fields.ts";
import { cursor, limit } from "../shared/validation/paging.ts";

export const listKeys = endpoint({
  method: "GET",
  path: "/key",
  summary: "List keys",
  description:
    'Returns keys, in no particular order: all that fit into one response of about 4 MB, or pages of at most `limit` keys. While there are more, a `Link` header with `rel="next"` gives the address of the next page. A page may have fewer keys than `limit` without being the last one.',
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
