import fc from "fast-check";
import { expect } from "vitest";
import { found, keyNamed, vCode } from "../support/services.ts";
import type { Behaviours } from "../support/world.ts";

const withLink = (link: string, keys: unknown[] = []) => found(keys, { link });

/** The address after `/api/v1/key` that a Link header leads to, if any. */
const headers: [header: string, next?: string][] = [
  ['</first>; rel="prev", <?cursor=a,b;c>; title="next, or last"; rel="last next"', "?cursor=a,b;c"],
  ["<?cursor=1>;REL=Next", "?cursor=1"],
  [" <?cursor=1> ; rel = next ", "?cursor=1"],
  ["<?cursor=1>; hreflang=en; crossorigin; rel=\"next\"; title*=UTF-8''a", "?cursor=1"],
  [', ,<?cursor=1>; rel="next",', "?cursor=1"],
  ['<?cursor=1>; rel="ne\\xt"', "?cursor=1"],
  ['<?cursor=1>; title="a, <b>; rel=prev"; rel="next"', "?cursor=1"],
  ['<?cursor=1> ; title="a \\"quoted\\" , </3>; > <b>; rel=prev" ; rel = "next"', "?cursor=1"],
  ['<?cursor=1>; rel="next"; rel="prev"', "?cursor=1"],
  ['<?cursor=1>; rel="next", <?cursor=2>; rel="next"', "?cursor=1"],
  ['<?cursor=1>; rel="prev", <?cursor=2>; rel="next"', "?cursor=2"],
  ['<?cursor=1>; rel="prev"; rel="next"'],
  ['<?cursor=1>; rel="next-archive"'],
  ['<?cursor=1>; title="rel=next"'],
  ['<?cursor=1>; title="; rel=next"'],
  ['<?cursor=1>; rel="next"; anchor="/other"'],
  ['?cursor=1; rel="next"'],
  ['<?cursor=1; rel="next"'],
  ['</0>; title="a, <?cursor=1>; rel=next'],
  [""],
  ["nonsense"],
];

const parameters = fc.array(
  fc.oneof(
    fc.string({ unit: "grapheme-ascii" }).map((value) => `title="${value.replaceAll(/["\\]/g, "\\$&")}"`),
    fc.constantFrom("hreflang=de", "crossorigin"),
  ),
);
const otherLinks = fc.array(
  fc
    .tuple(fc.webPath(), parameters, fc.constantFrom("prev", "last", "self"))
    .map(([target, others, relation]) => `<${target}>; ${[...others, `rel=${relation}`].join("; ")}`),
);

export const pages: Behaviours = {
  "returns every key of the service once, page by page, with one call per page": async ({ open, service }) => {
    const ids = Array.from({ length: 7 }, (_, index) => `page/${index} ü`);
    for (const key_id of ids) await service.call("POST", "/api/v1/key", { form: { key_id, v_code: vCode } });
    const client = await open();
    for (const [limit, lengths] of [
      [{ limit: 3 }, [3, 3, 1]],
      [{ limit: 7 }, [7]],
      [{}, [7]],
    ] as const) {
      const pages = (await client({ call: "pages", ...limit })).value as { key_id: string }[][];
      expect(pages.map(({ length }) => length)).toEqual(lengths);
      expect(pages.flatMap((page) => page.map(({ key_id }) => key_id)).toSorted()).toEqual(ids);
    }
    for (const key_id of ids) await service.call("DELETE", `/api/v1/key/${encodeURIComponent(key_id)}`);
  },

  "asks for no page that nobody iterates to": async ({ scripted }) => {
    const { client, requests } = await scripted([withLink('<?cursor=1>; rel="next"', [keyNamed("1")])]);

    expect((await client({ call: "pages", take: 1 })).value).toEqual([[keyNamed("1")]]);
    expect(requests).toHaveLength(1);
  },

  "follows links until there is none, however few keys a page has, and ignores fields that the service may add":
    async ({ scripted }) => {
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

  "reads a Link header as RFC 8288 specifies": async ({ scripted }) => {
    for (const [header, next] of headers) {
      const { client, requests } = await scripted([withLink(header), found()]);
      await client({ call: "pages" });
      expect(requests[1]?.url, header).toBe(next && `/api/v1/key${next}`);
    }
  },

  "finds the next page whatever other links and parameters a Link header has": async ({ scripted }) => {
    let header = "";
    const { client, requests } = await scripted(
      Array.from({ length: 1_000 }, () => (request, response) => {
        const isFirst = request.url === "/api/v1/key";
        (isFirst ? withLink(header) : found())(request, response);
      }),
    );
    await fc.assert(
      fc.asyncProperty(otherLinks, parameters, otherLinks, fc.boolean(), async (before, others, after, isThere) => {
        const next = isThere ? [`<?cursor=1>; ${[...others, 'rel="next"'].join(";")}`] : [];
        header = [...before, ...next, ...after].join(", ");
        requests.length = 0;
        await client({ call: "pages" });
        expect(requests.map(({ url }) => url)).toEqual(
          isThere ? ["/api/v1/key", "/api/v1/key?cursor=1"] : ["/api/v1/key"],
        );
      }),
    );
  },

  "does not follow a link to another host, where the token would be sent": async ({ scripted, uncalled }) => {
    const elsewhere = await uncalled();
    const { host } = new URL(elsewhere.baseUrl);
    for (const target of [`http://${host}/api/v1/key`, `//${host}/`, `https://${host}/`, "http://localhost/"]) {
      const { client, requests, baseUrl } = await scripted([withLink(`<${target}>; rel="next"`)]);

      expect((await client({ call: "pages" })).failure, target).toEqual({
        kind: "ApiFailure",
        status: 200,
        code: "unknown",
        message: `200 unknown: The next page is on another host, ${new URL(target, baseUrl).origin}.`,
        request_id: null,
      });
      expect(requests).toHaveLength(1);
    }
    expect(elsewhere.requests).toHaveLength(0);
  },
};
