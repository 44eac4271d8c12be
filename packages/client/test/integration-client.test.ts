import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService, type TestService } from "../../../test/support/service.ts";
import { ApiFailure, createIntegrationClient, type IntegrationClient, ValidationFailed } from "../src/index.ts";
import { failureOf, found, scripted } from "./support/scripted-service.ts";

const vCode = "v".repeat(64);

describe("against the running service", () => {
  let service: TestService;
  let token: string;
  let client: IntegrationClient;
  beforeAll(async () => {
    service = await startService();
    token = await service.issueToken();
    client = createIntegrationClient({ baseUrl: `${service.baseUrl}/`, token });
  });
  afterAll(() => service.close());

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
