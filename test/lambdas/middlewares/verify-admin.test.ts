import { generateKeyPair, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyAdmin } from "../../../lambdas/middlewares/verify-admin.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { startTestUserPool } from "../../kit/support/user-pool.ts";
import { runBefore } from "../support/events.ts";
import { apiErrorOf } from "../support/outcomes.ts";

let pool: Awaited<ReturnType<typeof startTestUserPool>>;
beforeAll(async () => {
  pool = await startTestUserPool();
});
afterAll(() => pool.close());

const alice = { token_use: "access", client_id: "web", username: "alice@example.com", "cognito:groups": ["Admin"] };

const verify = (authorization: string | undefined, issuer = pool.issuer) =>
  runBefore(
    verifyAdmin({ issuer, clientId: "web" }),
    // API Gateway's event says the same about every request, so only the token counts.
    apiEvent({
      headers: authorization === undefined ? {} : { authorization },
      claims: { ...alice, "cognito:groups": "[Admin]" },
    }),
  );
const verifyClaims = async (claims: object) => verify(`Bearer ${await pool.sign({ ...alice, ...claims })}`);
const codeOf = async (outcome: Promise<unknown>) => (await apiErrorOf(outcome)).code;

test.for([["Admin"], ["Superuser"], ["Admin", "Superuser"], ["guests", "Superuser"], ["[z]", "Admin", "x,y"]])(
  "admits a user in the groups %o, and records the user's name",
  async (...[groups]) => {
    const event = await verifyClaims({ "cognito:groups": [groups].flat() });
    expect(event).toMatchObject({ actor: "alice@example.com", logFields: { actor: "alice@example.com" } });
  },
);

test.for([undefined, [], ["guests"], ["admin"], ["Administrators", "NotAdmin"], ["[Admin]"], ["x Admin", "Admin,x"]])(
  "rejects a user in the groups %o",
  async (groups) => {
    expect(await codeOf(verifyClaims({ "cognito:groups": groups }))).toBe("group_required");
  },
);

test.for<[string, object]>([
  ["an ID token", { token_use: "id" }],
  ["a token without token_use", { token_use: undefined }],
  ["a token of another client", { client_id: "cli" }],
  ["a token without a client", { client_id: undefined, aud: "web" }],
  ["a token of another issuer", { iss: "https://cognito-idp.eu-central-1.amazonaws.com/other" }],
  ["a token that has expired", { exp: Math.floor(Date.now() / 1000) - 1 }],
  ["a token that never expires", { exp: undefined }],
  ["a token that is not valid yet", { nbf: Math.floor(Date.now() / 1000) + 3_600 }],
  ["groups as text, as API Gateway passes them", { "cognito:groups": "[Admin]" }],
  ["a token without a name", { username: undefined }],
  ["an empty name", { username: "" }],
  ["a name that is not a string", { username: 7 }],
  ["half of a surrogate pair in the name", { username: "alice\ud800" }],
  ["a control character in the name", { username: "alice\n" }],
  ["a space in the name", { username: "alice smith" }],
  ["a name of 129 characters", { username: "a".repeat(129) }],
  ["a user who is called like an invocation", { username: "invoke:6f6b4c0a:bob" }],
  ["a user who is called like a client", { username: "token:01J00000000000000000000000:192.0.2.1" }],
])("returns sign_in_required for %s", async ([, claims]) => {
  expect(await codeOf(verifyClaims(claims))).toBe("sign_in_required");
});

test("returns sign_in_required without a token, whatever the claims in the event", async () => {
  const signed = await pool.sign(alice);
  for (const header of [undefined, "", "Bearer ", "Bearer x", signed, `Basic ${signed}`, `Bearer ${signed} x`]) {
    expect(await codeOf(verify(header))).toBe("sign_in_required");
  }
});

test("returns sign_in_required for a token that the pool did not sign", async () => {
  const [header, , signature] = (await pool.sign(alice)).split(".");
  const [own, stranger] = [await generateKeyPair("RS256"), await generateKeyPair("ES256")];
  const forged = [
    new UnsecuredJWT({ ...alice, iss: pool.issuer }).setExpirationTime("1h").encode(),
    `${header}.${Buffer.from(JSON.stringify({ ...alice, username: "bob" })).toString("base64url")}.${signature}`,
    await pool.sign(alice, own),
    await pool.sign(alice, { ...own, kid: "unknown" }),
    await pool.sign(alice, { ...stranger, alg: "ES256" }),
  ];
  for (const token of forged) expect(await codeOf(verify(`Bearer ${token}`))).toBe("sign_in_required");
});

test("returns unavailable if the pool's keys cannot be loaded, and retries with the next request", async () => {
  const token = `Bearer ${await pool.sign(alice)}`;
  expect(await codeOf(verify(token, `${pool.issuer}/nowhere`))).toBe("unavailable");
  expect((await verify(token)).actor).toBe("alice@example.com");
});
