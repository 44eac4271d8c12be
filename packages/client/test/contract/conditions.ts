import { expect } from "vitest";
import type { Call } from "./protocol.ts";
import { busy, found, json, keyNamed, noContent, type Received, raw, unchanged, vCode } from "./services.ts";
import type { Behaviours } from "./world.ts";

const tagged = (etag: string) => found([], { etag });
const asked = (requests: Received[]) => requests.map(({ headers }) => headers["if-none-match"]);

/** The changes that depend on the key `1` being unchanged, in some sense. */
const changes = (if_unchanged: string): Call[] => [
  { call: "replace_key", key_id: "1", v_code: vCode, if_unchanged },
  { call: "delete_key", key_id: "1", if_unchanged },
];

/** The responses that a client reads, each as `limit=megabytes`, and the limits that it then remembers or has forgotten. */
const memories = [
  // The most recently used response stays longest.
  {
    reads: `${[...Array(100).keys()].map((limit) => `${limit}=0`).join(" ")} 0=unchanged 100=0`,
    known: "0 2",
    forgotten: "1",
  },
  // The client forgets as many responses as exceed the limit.
  { reads: "1=4 2=4 3=4 4=4 5=10", known: "4 5", forgotten: "3" },
  // A response that replaces another of the same address counts once.
  { reads: "1=4 2=8 2=8 2=8", known: "1 2", forgotten: "" },
  // A response without an ETag is not remembered, and leaves room for others.
  { reads: "2=8 1=8 1=untagged 3=8", known: "2 3", forgotten: "1" },
  // A response that exceeds the limit on its own.
  { reads: "2=1 1=17", known: "2", forgotten: "1" },
];
const wordsOf = (text: string): string[] => text.split(" ").filter(Boolean);

export const conditions: Behaviours = {
  "sends If-None-Match only for a URL that the same client has read, also on retries": async ({ scripted, open }) => {
    const responses = [tagged('W/"a"'), tagged('W/"b"'), tagged('W/"c"'), busy(503), found(), found(), found()];
    const { client, requests, baseUrl } = await scripted(responses);
    for (const limit of [1, 2, 1, 1, 1]) await client({ call: "pages", limit });
    await (await open({ base_url: baseUrl }))({ call: "pages", limit: 2 });

    expect(asked(requests)).toEqual([undefined, undefined, 'W/"a"', 'W/"c"', 'W/"c"', undefined, undefined]);
  },

  "follows the Link header of a 304, or else the remembered one": async ({ scripted }) => {
    const link = (cursor: number) => ({ link: `</api/v1/key?cursor=${cursor}>; rel="next"` });
    const { client, requests } = await scripted([
      found([keyNamed("1")], { etag: 'W/"a"' }),
      ...[unchanged({ etag: 'W/"a"', ...link(1) }), found([keyNamed("2")])],
      ...[found([keyNamed("3")], { etag: 'W/"c"', ...link(2) }), found([])],
      ...[unchanged({ etag: 'W/"c"' }), found([])],
    ]);
    const keys = async () => (await client({ call: "pages" })).value;

    expect(await keys()).toEqual([[keyNamed("1")]]);
    expect(await keys()).toEqual([[keyNamed("1")], [keyNamed("2")]]);
    expect(await keys()).toEqual([[keyNamed("3")], []]);
    expect(await keys()).toEqual([[keyNamed("3")], []]);
    expect(requests.at(-1)?.url).toBe("/api/v1/key?cursor=2");
  },

  "remembers up to 100 responses or 16 MB, and drops the least recently used ones": async ({ scripted }) => {
    for (const { reads, known, forgotten } of memories) {
      const sizes = wordsOf(reads).map((read) => read.split("="));
      const probes = [...wordsOf(known), ...wordsOf(forgotten)];
      const { client, requests } = await scripted([
        ...sizes.map(([, size]) => {
          if (size === "untagged" || size === "unchanged") return size === "untagged" ? found() : unchanged();
          return raw(200, "[]".padEnd(Number(size) * 1024 ** 2), { ...json, etag: 'W/"a"' });
        }),
        ...wordsOf(known).map(() => unchanged()),
        ...wordsOf(forgotten).map(() => found()),
      ]);
      for (const limit of [...sizes.map(([limit]) => limit), ...probes]) {
        expect((await client({ call: "pages", limit: Number(limit) })).failure).toBeUndefined();
      }
      const conditional = asked(requests.slice(sizes.length)).map((etag) => etag !== undefined);
      expect(conditional, reads).toEqual(probes.map((limit) => wordsOf(known).includes(limit)));
    }
  },

  "sends If-Match with the ETag of a key that it created, replaced or read, also on retries": async ({ scripted }) => {
    const key = { key_id: "1", v_code: vCode };
    const tagged = (etag: string) => found(keyNamed("1"), { etag });
    const { client, requests } = await scripted([
      ...[tagged('"a"'), tagged('"b"'), busy(503), found(keyNamed("1"))],
      ...[tagged('"c"'), unchanged(), noContent],
    ]);
    await client({ call: "create_key", ...key, keep: "created" });
    await client({ call: "replace_key", ...key, if_unchanged: "created", keep: "replaced" });
    await client({ call: "replace_key", ...key, if_unchanged: "replaced" });
    await client({ call: "get_key", key_id: "1" });
    await client({ call: "get_key", key_id: "1", keep: "read again" });
    expect((await client({ call: "delete_key", key_id: "1", if_unchanged: "read again" })).value).toBe(null);

    const sent = requests.map(({ headers }) => headers["if-match"]);
    expect(sent).toEqual([undefined, '"a"', '"b"', '"b"', undefined, undefined, '"c"']);
  },

  "rejects a condition that is not a key with an ETag that it returned, before sending anything": async (world) => {
    const other = await world.scripted([found(keyNamed("1"), { etag: '"a"' })]);
    await other.client({ call: "get_key", key_id: "1", keep: "other" });
    const { client, requests } = await world.scripted([
      found(keyNamed("1"), { etag: '"a"' }),
      found(keyNamed("2"), { etag: '"a"' }),
      found([keyNamed("1")], { etag: 'W/"a"' }),
      found(keyNamed("1"), { etag: 'W/"a"' }),
      found(keyNamed("1")),
    ]);
    for (const key_id of ["1", "2"]) await client({ call: "get_key", key_id, keep: `same ${key_id}` });
    await client({ call: "pages", keep: "list" });
    for (const keep of ["weak", "without"]) await client({ call: "get_key", key_id: "1", keep });

    for (const if_unchanged of ["other", "same 2", "weak", "without", "copy of same 1", "item of list", "nothing"]) {
      for (const change of changes(if_unchanged)) {
        expect((await client(change)).failure?.kind, JSON.stringify(change)).toBe("misuse");
      }
    }
    expect(requests).toHaveLength(5);
  },
};
