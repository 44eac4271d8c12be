import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import * as actions from "../../../lambdas/admin/actions.ts";
import { adminRoute } from "../../../lambdas/declaration/action.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { absentId } from "../../../tools/support/tokens.ts";
import { useAdmin } from "../support/admin.ts";

const admin = useAdmin();

const claims = { token_use: "access", username: "alice@example.com", "cognito:groups": "[Admin]" };

interface Sent {
  parameters?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  claims?: Record<string, unknown> | undefined;
}

/** Sends a request to the route, as API Gateway passes it on, and returns the status and the body. */
const send = async (route: string, { parameters, query, body, ...sent }: Sent = {}) => {
  const [method = "", path = ""] = route.split(" ");
  const {
    statusCode,
    headers,
    body: text,
  } = await admin.send(
    apiEvent({
      method,
      routeKey: `${method} ${path.replace(/}$/, "+}")}`,
      rawPath: path,
      headers: { "content-type": "application/json" },
      ...(parameters && { pathParameters: parameters }),
      ...(query && { queryStringParameters: query }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      claims: "claims" in sent ? sent.claims : claims,
    }),
  );
  expect(headers).toMatchObject({ "Cache-Control": "no-store" });
  return { status: statusCode, headers, body: text === undefined ? undefined : JSON.parse(text) };
};

const vCode = "v".repeat(64);

/** `undefined` has no JSON schema. */
const any = { unrepresentable: "any" } as const;

describe("the tokens", () => {
  test("are issued, listed, read, limited, rotated and revoked on behalf of the signed-in user", async () => {
    const issued = await send("POST /admin/tokens", { body: { ip: "2001:DB8::1", comment: "billing sync" } });
    expect(issued).toMatchObject({
      status: 201,
      body: { ip: "2001:db8::1", issued_by: "alice@example.com", token: expect.stringMatching(/^itk_/) },
    });
    const { token, ...record } = issued.body;
    const parameters = { token_id: record.token_id };

    expect(await send("GET /admin/tokens/{token_id}", { parameters })).toMatchObject({ status: 200, body: record });
    expect((await send("GET /admin/tokens", { query: { limit: "1000" } })).body.tokens).toContainEqual(record);

    expect(await send("PUT /admin/tokens/{token_id}", { parameters, body: { rate_limit: 60 } })).toMatchObject({
      status: 200,
      body: { ...record, rate_limit: 60, updated_at: expect.any(String), updated_by: "alice@example.com" },
    });

    const rotated = await send("POST /admin/tokens/{token_id}/rotate", { parameters, body: { grace_seconds: 60 } });
    expect(rotated).toMatchObject({ status: 201, body: { predecessor_id: record.token_id } });
    expect(rotated.body.token).not.toBe(token);

    const revoked = await send("DELETE /admin/tokens/{token_id}", { parameters });
    expect(revoked).toMatchObject({
      status: 200,
      body: { state: "revoked", rotated_by: "alice@example.com", revoked_by: "alice@example.com" },
    });
  });

  test.for([
    ["an address that no token can be bound to", "POST /admin/tokens", { body: { ip: "10.0.0.0/8" } }, ["ip"]],
    ["an unknown field", "POST /admin/tokens", { body: { ip: "10.0.0.1", expires: null } }, ["expires"]],
    ["an invalid rate limit", "POST /admin/tokens", { body: { ip: "10.0.0.1", rate_limit: "60" } }, ["rate_limit"]],
    ["an invalid limit", "GET /admin/tokens", { query: { limit: "many" } }, ["limit"]],
    ["an unknown query parameter", "GET /admin/tokens", { query: { page: "2" } }, ["page"]],
    [
      "an id in the path and another in the body",
      "POST /admin/tokens/{token_id}/rotate",
      { parameters: { token_id: absentId() }, body: { token_id: absentId(), grace_seconds: 0 } },
      ["token_id"],
    ],
  ] as const)("refuse %s with a message at its field", async ([, route, sent, fields]) => {
    const { status, body } = await send(route, sent);
    expect({ status, fields: Object.keys(body) }).toEqual({ status: 422, fields });
  });

  test("are not issued from properties of the prototype of the input", async () => {
    const body = JSON.parse('{"__proto__":{"ip":"203.0.113.1"}}');
    expect(await send("POST /admin/tokens", { body })).toMatchObject({ status: 422, body: { ip: expect.any(Array) } });
  });

  test("result in a 404 if they do not exist", async () => {
    expect(await send("GET /admin/tokens/{token_id}", { parameters: { token_id: absentId() } })).toMatchObject({
      status: 404,
      body: { code: "token_not_found" },
    });
  });
});

describe("the keys", () => {
  const parameters = { key_id: "a key/with ü" };

  /** Without the name of the user. */
  const times = ({ created_by: _, updated_by: __, ...others }: Record<string, unknown>) => others;

  test("are created, listed, read, replaced and deleted", async () => {
    const created = await send("POST /admin/keys", { body: { ...parameters, v_code: vCode } });
    expect(created).toEqual({
      status: 201,
      headers: expect.anything(),
      body: {
        ...parameters,
        created_at: expect.any(String),
        created_by: "alice@example.com",
        updated_at: expect.any(String),
        updated_by: "alice@example.com",
      },
    });
    expect(await send("POST /admin/keys", { body: { ...parameters, v_code: vCode } })).toMatchObject({
      status: 201,
      body: created.body,
    });
    expect(await send("POST /admin/keys", { body: { ...parameters, v_code: "w".repeat(64) } })).toMatchObject({
      status: 422,
      body: { key_id: ["The key_id has already been taken."] },
    });

    expect((await send("GET /admin/keys")).body).toEqual({ keys: [created.body], next_cursor: null, examined: 1 });
    expect((await send("GET /admin/keys/{key_id}", { parameters })).body).toEqual(created.body);
    expect(await send("POST /admin/v_codes/{key_id}", { parameters, body: {} })).toMatchObject({
      status: 200,
      body: { ...times(created.body), v_code: vCode },
    });

    const replaced = await send("PUT /admin/keys/{key_id}", { parameters, body: { v_code: "w".repeat(64) } });
    expect(replaced.body).toEqual({ ...created.body, updated_at: expect.any(String) });
    expect((await send("POST /admin/v_codes/{key_id}", { parameters, body: {} })).body).toEqual({
      ...times(replaced.body),
      v_code: "w".repeat(64),
    });

    expect(await send("DELETE /admin/keys/{key_id}", { parameters })).toMatchObject({ status: 204, body: undefined });
    for (const route of ["GET /admin/keys/{key_id}", "POST /admin/v_codes/{key_id}", "DELETE /admin/keys/{key_id}"]) {
      expect(await send(route, { parameters, body: {} })).toMatchObject({
        status: 404,
        body: { code: "key_not_found" },
      });
    }
  });

  test("have a v_code in no response but the one that an admin asks for, and the log says who asked", async () => {
    const found = Object.entries(actions).flatMap(([name, { contract }]) =>
      JSON.stringify(z.toJSONSchema("response" in contract ? contract.response : z.undefined(), any)).includes("v_code")
        ? [name]
        : [],
    );
    expect(found).toEqual(["reveal_key"]);

    await send("POST /admin/keys", { body: { key_id: "watched", v_code: vCode } });
    await send("POST /admin/v_codes/{key_id}", { parameters: { key_id: "watched" }, body: {} });
    const lines = admin
      .logged()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: "admin",
        action: "reveal_key",
        actor: "alice@example.com",
        key_id: "watched",
      }),
    );
    expect(admin.logged()).not.toContain(vCode);
  });

  test("must follow the rules of the public API", async () => {
    const { status, body } = await send("POST /admin/keys", { body: { key_id: "", v_code: "short" } });
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        key_id: ["The key_id must be 1 to 255 characters."],
        v_code: ["The v_code must be 64 characters."],
      },
    });
  });
});

describe("an address", () => {
  test("is the admin's address as the service sees it", async () => {
    expect((await send("GET /admin/address")).body).toEqual({ ip: null, seen_ip: "198.51.100.7" });
  });

  test("is checked with the same messages as when a token is issued", async () => {
    const query = { ip: "::ffff:198.51.100.7" };
    expect((await send("GET /admin/address", { query })).body).toMatchObject({ ip: "198.51.100.7" });

    const refused = await send("GET /admin/address", { query: { ip: "example.com" } });
    expect(refused).toMatchObject(
      await send("POST /admin/tokens", { body: { ip: "example.com" } }).then(({ status, body }) => ({ status, body })),
    );
    expect(refused.status).toBe(422);
  });
});

describe("nobody is admitted", () => {
  test.for(Object.values(actions).map(({ contract }) => adminRoute(contract)))(
    "without a session to $method $path",
    async ({ method, path }) => {
      const outcome = await send(`${method} ${path}`, { claims: undefined });
      expect(outcome).toMatchObject({ status: 401, body: { code: "sign_in_required" } });
      expect(outcome.headers).toMatchObject({ "WWW-Authenticate": "Bearer" });
    },
  );

  test("as a member of another group", async () => {
    expect(await send("GET /admin/tokens", { claims: { ...claims, "cognito:groups": "[guests]" } })).toMatchObject({
      status: 403,
      body: { code: "group_required" },
    });
  });

  test("to a route without an action", async () => {
    expect(await send("GET /admin/nowhere")).toMatchObject({ status: 404, body: { code: "endpoint_not_found" } });
  });
});
