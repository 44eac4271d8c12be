import { expect } from "vitest";
import { found, scripted } from "../../../packages/client/test/support/scripted-service.ts";
import { type Behaviours, keyNamed, uncalled, vCode } from "../support/behaviour.ts";

const link = (text: string) => ({ link: text });

export const pages: Behaviours = {
  "returns every key of the service once, page by page, with one call per page": async ({ open, service }) => {
    const ids = Array.from({ length: 7 }, (_, index) => `page ${index}`);
    for (const key_id of ids) await service.call("POST", "/api/v1/key", { form: { key_id, v_code: vCode } });
    const client = await open();
    const byThree = (await client({ call: "pages", limit: 3 })).value as { key_id: string }[][];
    const byDefault = (await client({ call: "pages" })).value as { key_id: string }[][];

    expect(byThree.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(byDefault.map(({ length }) => length)).toEqual([7]);
    for (const found of [byThree, byDefault]) {
      expect(
        found
          .flat()
          .map(({ key_id }) => key_id)
          .toSorted(),
      ).toEqual(ids);
    }
    for (const key_id of ids) await service.call("DELETE", `/api/v1/key/${encodeURIComponent(key_id)}`);
  },

  "fails for a limit that the service refuses": async ({ open }) => {
    const client = await open();
    expect((await client({ call: "pages", limit: 0 })).failure).toMatchObject({
      kind: "ValidationFailed",
      fields: { limit: ["The limit must be a whole number from 1 to 1000."] },
    });
  },

  "asks for no page that nobody iterates to": async ({ open }) => {
    const { baseUrl, requests } = await scripted(found([keyNamed("1")], link('<?cursor=1>; rel="next"')));
    const client = await open({ base_url: baseUrl });

    expect((await client({ call: "pages", take: 1 })).value).toEqual([[keyNamed("1")]]);
    expect(requests).toHaveLength(1);
  },

  "follows links until there is none, however few keys a page has, with the token": async ({ open }) => {
    const { baseUrl, requests } = await scripted(
      found([keyNamed("1")], link('</api/v1/key?limit=5&cursor=1>; rel="next"')),
      found([], link("<?limit=5&cursor=2>; rel=next")),
      found([keyNamed("3")]),
    );
    const client = await open({ base_url: baseUrl, token: "itk_1" });

    expect((await client({ call: "pages", limit: 5 })).value).toEqual([[keyNamed("1")], [], [keyNamed("3")]]);
    expect(requests.map(({ url }) => url)).toEqual([
      "/api/v1/key?limit=5",
      "/api/v1/key?limit=5&cursor=1",
      "/api/v1/key?limit=5&cursor=2",
    ]);
    for (const { headers } of requests) {
      expect(headers).toMatchObject({ accept: "application/json", "x-token": "itk_1", "x-sent-path": "/api/v1/key" });
    }
  },

  "reads a Link header as RFC 8288 specifies": async ({ open }) => {
    for (const [header, next] of [
      ['</first>; rel="prev", <?cursor=a,b;c>; title="next, or last"; rel="last next"', "/api/v1/key?cursor=a,b;c"],
      ["<?cursor=1>;REL=Next", "/api/v1/key?cursor=1"],
      ['<?cursor=1> ; title="a \\"quoted\\" > <b>; rel=prev" ; rel = "next"', "/api/v1/key?cursor=1"],
      ['<?cursor=1>; rel="next"; rel="prev"', "/api/v1/key?cursor=1"],
      ['<?cursor=1>; rel="prev"; rel="next"', undefined],
      ['<?cursor=1>; rel="nextish"', undefined],
      ['<?cursor=1>; title="rel=next"', undefined],
      ['<?cursor=1>; rel="next"; anchor="/other"', undefined],
      ['<?cursor=1>; rel="prev", <?cursor=2>; rel="next"', "/api/v1/key?cursor=2"],
      ["", undefined],
      ["nonsense", undefined],
    ] as const) {
      const { baseUrl, requests } = await scripted(found([], link(header)), found());
      const client = await open({ base_url: baseUrl });
      await client({ call: "pages" });
      expect(requests[1]?.url, header).toBe(next);
    }
  },

  "does not follow a link to another host, where the token would be sent": async ({ open }) => {
    const elsewhere = await uncalled();
    const { host } = new URL(elsewhere.baseUrl);
    for (const target of [
      `http://${host}/api/v1/key`,
      `//${host}/api/v1/key`,
      `https://${host}/`,
      "http://localhost/",
    ]) {
      const { baseUrl, requests } = await scripted(found([], link(`<${target}>; rel="next"`)));
      const client = await open({ base_url: baseUrl });
      const { origin } = new URL(target, baseUrl);

      expect((await client({ call: "pages" })).failure, target).toEqual({
        kind: "ApiFailure",
        status: 200,
        code: "unknown",
        message: `200 unknown: The next page is on another host, ${origin}.`,
        request_id: null,
      });
      expect(requests).toHaveLength(1);
    }
    expect(elsewhere.requests).toHaveLength(0);
  },

  "ignores fields that the service may add": async ({ open }) => {
    const { baseUrl } = await scripted(found([{ ...keyNamed("1"), colour: "red" }]));
    const client = await open({ base_url: baseUrl });
    expect((await client({ call: "pages" })).value).toMatchObject([[keyNamed("1")]]);
  },
};
