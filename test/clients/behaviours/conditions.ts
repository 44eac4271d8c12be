import type { ServerResponse } from "node:http";
import { expect } from "vitest";
import { found, scripted } from "../../../packages/client/test/support/scripted-service.ts";
import { type Behaviours, keyNamed, otherVCode, uncalled, vCode } from "../support/behaviour.ts";
import type { Call } from "../support/drivers.ts";
import { recorded } from "../support/recorder.ts";

const notModified = (headers: Record<string, string>) => (_: unknown, response: ServerResponse) =>
  void response.writeHead(304, headers).end();

const forms = ["replace_key", "delete_key"] as const;

/** A change that depends on the key `1` being unchanged, in some sense. */
const changes = (condition: object): Call[] =>
  forms.map((call) => ({ call, key_id: "1", v_code: otherVCode, ...condition }));

export const conditions: Behaviours = {
  "reads what has not changed without its body, and returns it as before": async ({ open, service }) => {
    for (const key_id of ["1", "2"]) await service.call("POST", "/api/v1/key", { form: { key_id, v_code: vCode } });
    const { baseUrl, exchanges } = await recorded(service.baseUrl);
    const client = await open({ base_url: baseUrl });
    const calls: Call[] = [
      { call: "get_key", key_id: "1" },
      { call: "pages", limit: 1 },
    ];
    for (const call of calls) {
      const first = await client(call);
      expect(first.failure).toBeUndefined();
      expect(await client(call)).toEqual(first);
    }

    expect(exchanges.map(({ status }) => status)).toEqual([200, 304, 200, 200, 304, 304]);
    for (const key_id of ["1", "2"]) await service.call("DELETE", `/api/v1/key/${key_id}`);
  },

  "reads what has changed": async ({ open, service }) => {
    const client = await open();
    await client({ call: "create_key", key_id: "1", v_code: vCode });
    await client({ call: "get_key", key_id: "1" });
    await client({ call: "pages" });
    await service.call("PUT", "/api/v1/key/1", { form: { v_code: otherVCode } });

    const changed = expect.objectContaining({ key_id: "1", v_code: otherVCode });
    expect((await client({ call: "get_key", key_id: "1" })).value).toEqual(changed);
    expect((await client({ call: "pages" })).value).toEqual([[changed]]);
    await service.call("DELETE", "/api/v1/key/1");
    expect((await client({ call: "get_key", key_id: "1" })).failure?.status).toBe(404);
    expect((await client({ call: "pages" })).value).toEqual([[]]);
  },

  "asks only whether the same address has changed": async ({ open }) => {
    const tagged = (etag: string) => found([], { etag });
    const { baseUrl, requests } = await scripted(tagged('W/"a"'), tagged('W/"b"'), tagged('W/"c"'), found(), found());
    const client = await open({ base_url: baseUrl });
    for (const limit of [1, 2, 1, 1, 1]) await client({ call: "pages", limit });

    expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      undefined,
      'W/"a"',
      'W/"c"',
      undefined,
    ]);
  },

  "follows the link in a response without a body": async ({ open }) => {
    const first = found([keyNamed("1")], { etag: 'W/"a"' });
    const next = '</api/v1/key?cursor=1>; rel="next"';
    const { baseUrl } = await scripted(first, notModified({ etag: 'W/"a"', link: next }), found([keyNamed("2")]));
    const client = await open({ base_url: baseUrl });

    expect((await client({ call: "pages" })).value).toEqual([[keyNamed("1")]]);
    expect((await client({ call: "pages" })).value).toEqual([[keyNamed("1")], [keyNamed("2")]]);
  },

  "fails for a response without a body that it has not asked for": async ({ open }) => {
    const { baseUrl } = await scripted(notModified({}));
    const client = await open({ base_url: baseUrl });
    expect((await client({ call: "get_token" })).failure).toMatchObject({
      kind: "ApiFailure",
      status: 304,
      code: "unknown",
    });
  },

  "remembers no more than 100 responses": async ({ open }) => {
    const tagged = Array.from({ length: 103 }, () => found([], { etag: 'W/"a"' }));
    const { baseUrl, requests } = await scripted(...tagged);
    const client = await open({ base_url: baseUrl });
    for (let limit = 1; limit <= 101; limit += 1) await client({ call: "pages", limit });
    for (const limit of [2, 1]) await client({ call: "pages", limit });

    expect(requests.slice(-2).map(({ headers }) => headers["if-none-match"])).toEqual(['W/"a"', undefined]);
  },

  "changes a key that is still what was created, replaced or read": async ({ open }) => {
    const client = await open();
    await client({ call: "create_key", key_id: "1", v_code: vCode, keep: "created" });
    const replaced: Call = {
      call: "replace_key",
      key_id: "1",
      v_code: otherVCode,
      if_unchanged: "created",
      keep: "replaced",
    };
    expect((await client(replaced)).value).toMatchObject({ v_code: otherVCode });
    await client({ ...replaced, v_code: vCode, if_unchanged: "replaced" });
    await client({ call: "get_key", key_id: "1" });
    await client({ call: "get_key", key_id: "1", keep: "read again" });

    expect(await client({ call: "delete_key", key_id: "1", if_unchanged: "read again" })).toEqual({
      value: null,
      retries: [],
    });
  },

  "changes nothing that has changed since it was read": async ({ open, service }) => {
    const client = await open();
    await client({ call: "create_key", key_id: "1", v_code: vCode });
    await client({ call: "get_key", key_id: "1", keep: "read" });
    await service.call("PUT", "/api/v1/key/1", { form: { v_code: otherVCode } });

    for (const call of [
      { call: "replace_key", key_id: "1", v_code: "x".repeat(64), if_unchanged: "read" },
      { call: "delete_key", key_id: "1", if_unchanged: "read" },
    ] as const) {
      expect((await client(call)).failure).toMatchObject({
        kind: "PreconditionFailed",
        status: 412,
        code: "precondition_failed",
        message: expect.stringMatching(/^412 precondition_failed: [A-Z].+ \(request \S+\)$/),
      });
    }
    expect((await client({ call: "get_key", key_id: "1" })).value).toMatchObject({ v_code: otherVCode });
    await service.call("DELETE", "/api/v1/key/1");
    expect((await client({ call: "delete_key", key_id: "1", if_unchanged: "read" })).failure?.status).toBe(404);
  },

  "sends the condition, and no other call sends one": async ({ open }) => {
    const { baseUrl, requests } = await scripted(
      found(keyNamed("1"), { etag: '"a"' }),
      found(keyNamed("1"), { etag: '"b"' }),
      found(keyNamed("1")),
    );
    const client = await open({ base_url: baseUrl });
    await client({ call: "get_key", key_id: "1", keep: "read" });
    for (const condition of [{ if_unchanged: "read" }, {}]) {
      await client({ call: "replace_key", key_id: "1", v_code: vCode, ...condition });
    }

    expect(requests.map(({ headers }) => headers["if-match"])).toEqual([undefined, '"a"', undefined]);
  },

  "refuses a condition that is not a key that it has returned, before anything is sent": async ({ open, service }) => {
    const { baseUrl, requests } = await uncalled();
    const own = await open();
    for (const key_id of ["1", "2"]) await own({ call: "create_key", key_id, v_code: vCode, keep: `own ${key_id}` });
    await own({ call: "pages", keep: "list" });
    const other = await open({ base_url: baseUrl });
    const { exchanges, ...recorder } = await recorded(service.baseUrl);
    const same = await open({ base_url: recorder.baseUrl });
    await same({ call: "get_key", key_id: "1", keep: "same 1" });
    await same({ call: "get_key", key_id: "2", keep: "same 2" });

    for (const [client, condition] of [
      [other, { if_unchanged: "own 1" }],
      [same, { if_unchanged: "own 1" }],
      [same, { if_unchanged: "same 2" }],
      [same, { if_unchanged_copy_of: "same 1" }],
      [same, { if_unchanged_item_of: "list" }],
    ] as const) {
      for (const change of changes(condition)) {
        expect((await client(change)).failure?.kind, JSON.stringify(change)).toBe("misuse");
      }
    }
    expect(requests).toHaveLength(0);
    expect(exchanges).toHaveLength(2);
    for (const key_id of ["1", "2"]) await service.call("DELETE", `/api/v1/key/${key_id}`);
  },

  "refuses a key whose version the service did not give": async ({ open }) => {
    const { baseUrl, requests } = await scripted(found(keyNamed("1")), found(keyNamed("1"), { etag: 'W/"a"' }));
    const client = await open({ base_url: baseUrl });
    for (const keep of ["without", "weak"]) {
      await client({ call: "get_key", key_id: "1", keep });
      for (const change of changes({ if_unchanged: keep })) expect((await client(change)).failure?.kind).toBe("misuse");
    }
    expect(requests).toHaveLength(2);
  },
};
