import { endpoint } from "../declaration/endpoint.ts";
import { keys as keysTable } from "../domain/keys/keys-table.ts";
import { changesOf, changesQuery } from "../dynamodb/changes-query.ts";

export const listKeyChanges = endpoint({
  method: "GET",
  path: "/key/changes",
  summary: "Follow the changes of keys",
  description:
    "Returns a page of what has changed since `cursor`, each key's last change once. Without `cursor`, the pages begin with a copy of all keys. Store each page's `cursor` once you have applied the page. While `more` is true, request the next page at once; then poll as often as you like. A change appears after about 30 seconds. A page can have fewer changes than `limit`, or none, although `more` is true.",
  uses: { keys: ["changes"] },
  readsAhead: true,
  query: changesQuery(keysTable),
  errors: ["cursor_expired"],
  responses: { 200: { description: "A page of changes.", body: changesOf(keysTable) } },
  example: {},
  async handler({ query }, { keys }, errors) {
    const page = await keys.changes(query);
    if (!page) throw errors.cursor_expired();
    return { status: 200, body: page };
  },
});
