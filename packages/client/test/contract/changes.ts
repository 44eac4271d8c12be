import { expect } from "vitest";
import { busy, found, keyNamed, lost, refused } from "./services.ts";
import type { Behaviours } from "./world.ts";

const deleted = { key_id: "2", deleted_at: "2026-11-21T10:15:30.123Z" };

const page = (cursor: string, more: boolean, content: object = {}) => {
  const value = { changed: [], deleted: [], ...content, cursor, more };
  return { value, response: found({ ...value, colour: "red" }) };
};

/** Following what has changed since a cursor. */
export const changes: Behaviours = {
  "follows pages in their order until there are no more, even after an empty page": async ({ scripted }) => {
    const pages = [
      page("a+b/c=", true, { changed: [keyNamed("1")] }),
      page("second", true),
      page("third", false, { changed: [keyNamed("1", "w".repeat(64))], deleted: [deleted] }),
    ];
    const { client, requests } = await scripted(pages.map(({ response }) => response));

    expect((await client({ call: "changes", limit: 5 })).value).toMatchObject(pages.map(({ value }) => value));
    const queries = requests.map(({ url }) => Object.fromEntries(new URL(url, "http://localhost").searchParams));
    expect(queries).toEqual([{ limit: "5" }, { limit: "5", cursor: "a+b/c=" }, { limit: "5", cursor: "second" }]);
    for (const { headers } of requests) expect(headers["x-sent-path"]).toBe("/api/v1/key/changes");
  },

  "continues after the page that the caller has stored, and requests no page that the caller does not iterate to":
    async ({ scripted }) => {
      const [first, again] = [page("1", true, { changed: [keyNamed("1")] }), page("2", false)];
      const { client, requests } = await scripted([first.response, first.response, again.response]);

      expect((await client({ call: "changes", take: 1 })).value).toMatchObject([first.value]);
      // The caller has not stored the cursor, so it gets the page again.
      expect((await client({ call: "changes", take: 1 })).value).toMatchObject([first.value]);
      expect((await client({ call: "changes", cursor: "1" })).value).toMatchObject([again.value]);
      expect(requests.map(({ url }) => url.replace("/api/v1/key/changes", ""))).toEqual(["", "", "?cursor=1"]);
    },

  "sends the request for a page again after a lost response, with the same cursor": async ({ scripted }) => {
    const [first, second] = [page("1", true), page("2", false)];
    const { client, requests } = await scripted([first.response, lost, busy(503), second.response]);

    const { value, retries } = await client({ call: "changes" });
    expect(value).toMatchObject([first.value, second.value]);
    expect(retries.map(({ status }) => status)).toEqual([0, 503]);
    expect(requests.slice(1).map(({ url }) => url)).toEqual(Array(3).fill("/api/v1/key/changes?cursor=1"));
  },

  "reports a cursor that cannot be continued, at any page, and does not try it again": async ({ scripted }) => {
    const { client, requests } = await scripted([page("1", true).response, refused(410, "cursor_expired")]);
    const expired = { kind: "CursorExpired", status: 410, code: "cursor_expired" };
    expect(await client({ call: "changes", cursor: "0" })).toMatchObject({ failure: expired, retries: [] });
    expect(requests).toHaveLength(2);
  },

  "does not mistake another 410 for the end of a cursor": async ({ scripted }) => {
    const { client } = await scripted([refused(410, "contract_ended")]);
    const { failure } = await client({ call: "changes", cursor: "0" });
    expect(failure).toMatchObject({ kind: "ApiFailure", status: 410, code: "contract_ended" });
  },
};
