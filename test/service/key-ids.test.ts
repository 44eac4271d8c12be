import { signIn } from "cdk-local-runner/parts";
import { beforeAll, describe, expect, test } from "vitest";
import { createIntegrationClient } from "../../packages/client/src/index.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { tablesOf } from "../support/tables.ts";

/*
 * The local gateway treats paths as API Gateway does in recordings. This file tests the consequence for keys: no path leads to
 * a key other than the one that its client means.
 */

let service: TestService;
let authorization: string;
beforeAll(async () => {
  service = await sharedService();
  const [login] = service.logins.filter(({ groups }) => groups.includes("Admin"));
  expect.assert(login, "nobody is an admin");
  authorization = `Bearer ${await signIn(service, login)}`;
});

const vCode = "v".repeat(64);

const list = async () => {
  const answer = await service.call("GET", "/api/v1/key?limit=1000");
  return answer.json();
};

/** The text encoded as often as API Gateway decodes it. */
const twice = (text: string): string => encodeURIComponent(encodeURIComponent(text)).replaceAll(".", "%252E");

const admin = async (method: string, path: string, json?: object) => {
  const response = await fetch(`${service.baseUrl}/admin/keys${path}`, {
    method,
    headers: { authorization, ...(json && { "content-type": "application/json" }) },
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
};

describe.each([
  ["100%", "The key_id must not contain a percent sign."],
  ["victim%2Fx", "The key_id must not contain a percent sign."],
  ["victim?x", "The key_id must not contain a question mark."],
  [".", "The key_id must not be one or two dots."],
  ["..", "The key_id must not be one or two dots."],
])("the key_id %j is refused", (key_id, message) => {
  const refusal = { status: 422, body: { key_id: [message] } };
  const invocationRefusal = { errorType: "validation_failed", errorMessage: message };
  const json = { v_code: "w".repeat(64) };

  test("in the form of POST", async () => {
    const answer = await service.call("POST", "/api/v1/key", { form: { key_id, v_code: vCode } });
    expect({ status: answer.status, body: answer.json() }).toEqual(refusal);
  });

  test.each(["GET", "PUT", "DELETE"])("in the path of %s, if it arrives at all", async (method) => {
    const form = method === "PUT" ? { form: json } : {};
    const answer = await service.call(method, `/api/v1/key/${twice(key_id)}`, form);
    expect({ status: answer.status, body: answer.json() }).toMatchObject({
      status: 404,
      body: { code: "key_not_found" },
    });
  });

  test("in the body and in the paths of the admin's HTTP interface", async () => {
    expect(await admin("POST", "", { key_id, v_code: vCode })).toEqual(refusal);
    expect(await admin("GET", `/${twice(key_id)}`)).toEqual(refusal);
    expect(await admin("PUT", `/${twice(key_id)}`, json)).toEqual(refusal);
    expect(await admin("DELETE", `/${twice(key_id)}`)).toEqual(refusal);
  });

  test("by every action of the admin function", async () => {
    for (const action of ["create_key", "replace_key"]) {
      await expect(service.admin({ action, key_id, v_code: vCode })).rejects.toMatchObject(invocationRefusal);
    }
    for (const action of ["get_key", "reveal_key", "delete_key"]) {
      await expect(service.admin({ action, key_id })).rejects.toMatchObject(invocationRefusal);
    }
  });
});

describe("a call that repeats its path", () => {
  test.each([
    ["PUT", "victim%3Fx"],
    ["DELETE", "victim%3Fx"],
    ["GET", "victim%3Fx"],
    ["DELETE", "victim%252Fx"],
  ])("is refused before %s /key/%s reaches another key", async (method, encoded) => {
    const victims = ["victim", "victim/x"].map((key_id) => ({ key_id, v_code: vCode }));
    for (const form of victims) await service.call("POST", "/api/v1/key", { form });
    const path = `/api/v1/key/${encoded}`;
    const answer = await service.call(method, path, {
      headers: { "x-sent-path": path },
      ...(method === "PUT" && { form: { v_code: "w".repeat(64) } }),
    });

    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ code: "path_changed" });
    expect(await list()).toEqual(expect.arrayContaining(victims.map((victim) => expect.objectContaining(victim))));
  });

  test("is refused by the admin's HTTP interface as well", async () => {
    await service.call("POST", "/api/v1/key", { form: { key_id: "kept", v_code: vCode } });
    const response = await fetch(`${service.baseUrl}/admin/keys/kept%3Fx`, {
      method: "DELETE",
      headers: { authorization, "x-sent-path": "/admin/keys/kept%3Fx" },
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "path_changed" });
    expect((await service.call("GET", "/api/v1/key/kept")).status).toBe(200);
  });

  test("reaches its key if nothing has changed the path", async () => {
    for (const key_id of ["a+b c", "a\\b", "a//b", "/a/", "a/../b", "a;b#c", "ü🔑"]) {
      const { text } = await service.call("POST", "/api/v1/key", { form: { key_id, v_code: vCode } });
      const path = `/api/v1/key/${encodeURIComponent(key_id)}`;
      expect((await service.call("GET", path, { headers: { "x-sent-path": path } })).text, key_id).toBe(text);
    }
  });
});

describe("a key that version 1.0 stored with a percent sign", () => {
  const legacy = {
    key_id: "a%2Fb",
    v_code: vCode,
    created_at: "2026-11-21T10:15:30.123Z",
    updated_at: "2026-11-21T10:15:30.123Z",
  };

  test("is still listed with its v_code, and no call for it reaches another key", async () => {
    await tablesOf(service).fill({ keys: [legacy], tokens: [], limits: [], usage: [] });
    const token = await service.issueToken();
    const answer = await service.call("GET", "/api/v1/key", { token });
    expect(answer.json()).toEqual([legacy]);
    expect((await service.admin({ action: "list_keys" })).keys).toMatchObject([{ key_id: legacy.key_id }]);

    await service.call("POST", "/api/v1/key", { token, form: { key_id: "a/b", v_code: vCode } });
    const client = createIntegrationClient({ baseUrl: service.baseUrl, token });
    await expect(
      client.DELETE("/api/v1/key/{key_id}", { params: { path: { key_id: legacy.key_id } } }),
    ).rejects.toMatchObject({ fields: { key_id: ["The key_id must not contain a percent sign."] } });
    expect((await service.call("GET", "/api/v1/key/a%2Fb", { token })).status).toBe(200);
  });
});
