import { beforeAll, describe, expect, test } from "vitest";
import { sharedService, type TestService } from "../../../test/support/service.ts";
import {
  ApiFailure,
  createIntegrationClient,
  type IntegrationClient,
  PreconditionFailed,
  ValidationFailed,
} from "../src/index.ts";
import { failureOf, found, scripted } from "./support/scripted-service.ts";

const vCode = "v".repeat(64);

describe("against the running service", () => {
  let service: TestService;
  let token: string;
  let client: IntegrationClient;
  beforeAll(async () => {
    service = await sharedService();
    token = await service.issueToken();
    client = createIntegrationClient({ baseUrl: `${service.baseUrl}/`, token });
  });

  /** A client and the responses that it got. A response can be lost once: the client then gets a `503` instead. */
  const recorded = (isLost: (request: Request, status: number) => boolean = () => false) => {
    const responses: { status: number; encoding: string | null }[] = [];
    let lost = false;
    const recording = createIntegrationClient({
      baseUrl: service.baseUrl,
      token,
      retry: { wait: async () => undefined },
      fetch: async (request) => {
        const response = await fetch(request);
        responses.push({ status: response.status, encoding: response.headers.get("content-encoding") });
        if (lost || !isLost(request, response.status)) return response;
        lost = true;
        await response.body?.cancel();
        return new Response(null, { status: 503 });
      },
    });
    return { recording, responses };
  };

  test("a key with any name can be created, read, replaced and deleted", async () => {
    const params = { path: { key_id: "é 🔑&+=//..\\;#/" } };
    const created = await client.POST("/api/v1/key", { body: { key_id: params.path.key_id, v_code: vCode } });
    const read = await client.GET("/api/v1/key/{key_id}", { params });
    const replaced = await client.PUT("/api/v1/key/{key_id}", { params, body: { v_code: "w".repeat(64) } });
    const deleted = await client.DELETE("/api/v1/key/{key_id}", { params });

    expect(created).toMatchObject({ key_id: params.path.key_id, v_code: vCode });
    expect(read).toEqual(created);
    expect(replaced).toMatchObject({ v_code: "w".repeat(64), created_at: created.created_at });
    expect(deleted).toBeUndefined();
  });

  test("each page of a list is returned once, with one call", async () => {
    const ids = Array.from({ length: 7 }, (_, index) => `page ${index}`);
    for (const key_id of ids) await client.POST("/api/v1/key", { body: { key_id, v_code: vCode } });

    const pages: string[][] = [];
    for await (const page of client.pages("/api/v1/key", { params: { query: { limit: 3 } } })) {
      pages.push(page.map(({ key_id }) => key_id));
    }

    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(pages.flat().toSorted()).toEqual(ids);
  });

  test("a list without a limit takes one call, is compressed, and is not sent again unless it has changed", async () => {
    const { recording, responses } = recorded();
    const read = async () => {
      responses.length = 0;
      const pages: unknown[][] = [];
      for await (const page of recording.pages("/api/v1/key")) pages.push(page);
      return pages;
    };
    const ids = Array.from({ length: 20 }, (_, index) => `whole ${index}`);
    for (const key_id of ids) await client.POST("/api/v1/key", { body: { key_id, v_code: vCode } });

    const pages = await read();
    expect(pages).toHaveLength(1);
    expect(pages[0]).toEqual(expect.arrayContaining(ids.map((key_id) => expect.objectContaining({ key_id }))));
    expect(responses).toMatchObject([{ status: 200, encoding: expect.stringMatching(/^(?:br|gzip)$/) }]);

    expect(await read()).toEqual(pages);
    expect(responses).toMatchObject([{ status: 304 }]);

    await client.DELETE("/api/v1/key/{key_id}", { params: { path: { key_id: "whole 7" } } });
    expect((await read()).flat()).toHaveLength(pages.flat().length - 1);
    expect(responses).toMatchObject([{ status: 200 }]);
  });

  test("a key is not sent again unless it has changed", async () => {
    const { recording, responses } = recorded();
    const params = { path: { key_id: "read again" } };
    const created = await client.POST("/api/v1/key", { body: { key_id: params.path.key_id, v_code: vCode } });
    for (let time = 0; time < 2; time += 1) {
      expect(await recording.GET("/api/v1/key/{key_id}", { params })).toEqual(created);
    }
    const replaced = await client.PUT("/api/v1/key/{key_id}", { params, body: { v_code: "w".repeat(64) } });
    expect(await recording.GET("/api/v1/key/{key_id}", { params })).toEqual(replaced);

    expect(responses.map(({ status }) => status)).toEqual([200, 304, 200]);
  });

  test("a key that has changed since it was read is neither replaced nor deleted", async () => {
    const params = { path: { key_id: "contested" } };
    const body = { v_code: "w".repeat(64) };
    const created = await client.POST("/api/v1/key", { body: { key_id: params.path.key_id, v_code: vCode } });
    const read = await client.GET("/api/v1/key/{key_id}", { params });
    const replaced = await client.PUT("/api/v1/key/{key_id}", { params, body, ifUnchanged: read });

    for (const ifUnchanged of [created, read]) {
      const late = { params, body: { v_code: "x".repeat(64) }, ifUnchanged };
      expect(await failureOf(client.PUT("/api/v1/key/{key_id}", late))).toBeInstanceOf(PreconditionFailed);
      expect(await failureOf(client.DELETE("/api/v1/key/{key_id}", { params, ifUnchanged }))).toMatchObject({
        name: "PreconditionFailed",
        status: 412,
        code: "precondition_failed",
        requestId: expect.stringMatching(/\S/),
      });
    }
    expect(await client.GET("/api/v1/key/{key_id}", { params })).toEqual(replaced);
    await client.DELETE("/api/v1/key/{key_id}", { params, ifUnchanged: replaced });
  });

  test("a conditional replacement whose answer was lost succeeds when it is sent again", async () => {
    const params = { path: { key_id: "lost answer" } };
    const { recording, responses } = recorded((request, status) => request.method === "PUT" && status === 200);
    const read = await recording.POST("/api/v1/key", { body: { key_id: params.path.key_id, v_code: vCode } });
    const body = { v_code: "w".repeat(64) };
    const replaced = await recording.PUT("/api/v1/key/{key_id}", { params, body, ifUnchanged: read });

    expect(replaced).toMatchObject(body);
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 200]);
  });

  test("a 422 is a ValidationFailed with every field", async () => {
    const failure = await failureOf(client.POST("/api/v1/key", { body: { key_id: "a".repeat(256), v_code: "x" } }));

    expect(failure).toBeInstanceOf(ValidationFailed);
    expect(failure).toMatchObject({
      status: 422,
      code: "validation_failed",
      fields: { key_id: ["The key_id must be 1 to 255 characters."], v_code: ["The v_code must be 64 characters."] },
    });
  });

  test("any other error is an ApiFailure with its code and the request id, which is also in the log", async () => {
    const failure = await failureOf(client.GET("/api/v1/key/{key_id}", { params: { path: { key_id: "none" } } }));

    expect(failure).toBeInstanceOf(ApiFailure);
    expect(failure).not.toBeInstanceOf(ValidationFailed);
    expect(failure).toMatchObject({ status: 404, code: "key_not_found", requestId: expect.stringMatching(/\S/) });
    if (failure instanceof ApiFailure) expect(service.logged()).toContain(failure.requestId);
  });

  test("the failure for a refused token has its code but never the token's text", async () => {
    const stranger = createIntegrationClient({ baseUrl: service.baseUrl, token: "itk_nonsense" });
    const failure = await failureOf(stranger.GET("/api/v1/token"));

    expect(failure).toMatchObject({ status: 401, code: "token_invalid" });
    expect(String(failure)).not.toContain("itk_");
  });
});

describe("the link to the next page", () => {
  test("is parsed as RFC 8288 specifies, and its page is requested with the token", async () => {
    const link = '</first>; rel="prev", <?cursor=a,b;c>; title="next, or last"; rel="last next"';
    const { baseUrl, requests } = await scripted(found([1], { link }), found([2]));
    const client = createIntegrationClient({ baseUrl, token: "itk_1" });

    const pages: unknown[] = [];
    for await (const page of client.pages("/api/v1/key")) pages.push(page);

    expect(pages).toEqual([[1], [2]]);
    expect(requests[1]).toMatchObject({
      url: "/api/v1/key?cursor=a,b;c",
      headers: { accept: "application/json", "x-token": "itk_1" },
    });
  });

  test("is not followed to another host", async () => {
    const elsewhere = await scripted(found());
    const { baseUrl } = await scripted(found([1], { link: `<${elsewhere.baseUrl}/key>; rel=next` }));
    const pages = createIntegrationClient({ baseUrl, token: "itk_1" }).pages("/api/v1/key");
    await pages.next();

    await expect(pages.next()).rejects.toThrow("on another host");
    expect(elsewhere.requests).toHaveLength(0);
  });
});
