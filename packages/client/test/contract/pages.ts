import { expect } from "vitest";
import { found, keyNamed } from "./services.ts";
import type { Behaviours } from "./world.ts";

const withLink = (link: string, keys: unknown[] = []) => found(keys, { link });

/** Returns the query of the next page in a Link header, if any. */
const headers: [header: string, next?: string][] = [
  [
    '</first?cursor=0>; rel="prev", </api/v1/key?cursor=1>; title="more"; rel="next", <?cursor=2>; rel=last',
    "?cursor=1",
  ],
  ["<?cursor=1>; rel=next", "?cursor=1"],
  ['<?cursor=1>; rel="prev"'],
  ['<?cursor=1>; rel="next-archive"'],
  ["nonsense"],
];

export const pages: Behaviours = {
  "requests only the pages that the caller iterates to": async ({ scripted }) => {
    const { client, requests } = await scripted([withLink('<?cursor=1>; rel="next"', [keyNamed("1")])]);

    expect((await client({ call: "pages", take: 1 })).value).toEqual([[keyNamed("1")]]);
    expect(requests).toHaveLength(1);
  },

  "follows links until there is none, even after an empty page, and ignores unknown fields": async ({ scripted }) => {
    const { client, requests } = await scripted(
      [
        withLink('</api/v1/key?limit=5&cursor=1>; rel="next"', [{ ...keyNamed("1"), colour: "red" }]),
        withLink("<?limit=5&cursor=2>; rel=next"),
        found([keyNamed("3")]),
      ],
      { token: "itk_1" },
    );

    expect((await client({ call: "pages", limit: 5 })).value).toMatchObject([[keyNamed("1")], [], [keyNamed("3")]]);
    expect(requests.map(({ url }) => url)).toEqual([
      "/api/v1/key?limit=5",
      "/api/v1/key?limit=5&cursor=1",
      "/api/v1/key?limit=5&cursor=2",
    ]);
    for (const { headers } of requests) {
      expect(headers).toMatchObject({ accept: "application/json", "x-token": "itk_1", "x-sent-path": "/api/v1/key" });
    }
  },

  "finds the next page among other links and parameters": async ({ scripted }) => {
    for (const [header, next] of headers) {
      const { client, requests } = await scripted([withLink(header), found()]);
      await client({ call: "pages" });
      expect(requests[1]?.url, header).toBe(next && `/api/v1/key${next}`);
    }
  },

  "does not follow links to another host or away from the base URL": async (world) => {
    const elsewhere = await world.uncalled();
    const { host } = new URL(elsewhere.baseUrl);
    for (const target of [`http://${host}/api/v1/key`, `//${host}/`, "http://localhost/", "/api/v1/token"]) {
      const { requests, baseUrl } = await world.scripted([withLink(`<${target}?cursor=1>; rel="next"`), found()]);
      const client = await world.open({ base_url: `${baseUrl}/integration` });
      expect((await client({ call: "pages" })).value, target).toEqual([[], []]);
      expect(requests.map(({ url }) => url)).toEqual(["/integration/api/v1/key", "/integration/api/v1/key?cursor=1"]);
    }
    expect(elsewhere.requests).toHaveLength(0);
  },
};
