import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { api } from "../../lambdas/api.ts";
import { keyId } from "../../lambdas/domain/keys/key-fields.ts";
import { validate } from "../../lambdas/shared/validation/validate.ts";
import { describeApi } from "../../openapi/describe-api.ts";
import type { Call } from "../../packages/client/test/contract/protocol.ts";
import { vCode } from "../../packages/client/test/contract/services.ts";
import { due, idOf, tokenFile } from "../../packages/client/test/contract/stored-token.ts";
import { type CallClient, startDriver, worldOf } from "../../packages/client/test/contract/world.ts";
import { anyText } from "../kit/support/any-text.ts";
import { python, requirePython } from "../support/programs.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { checkSamples, samplesOf } from "./support/samples.ts";
import { confirmNext, invite, newestOf, trustWorkload } from "./support/tokens.ts";

/* Tests that the clients and the service understand each other. The packages test everything else with a scripted service. */

const run = promisify(execFile);
const cwd = fileURLToPath(new URL("../..", import.meta.url));

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const troublesome = [..."a/+ .%?&#\ud800\0\x7f\x9f🔑", "\udc00", "%2F"];
const keyIds = fc.oneof(
  fc.array(fc.constantFrom(...troublesome), { maxLength: 5 }).map((parts) => parts.join("")),
  anyText({ maxLength: 10 }),
);

/** The id of the token that a call of the client uses. */
const usedBy = async (client: CallClient): Promise<unknown> => {
  const { value, failure } = await client({ call: "get_token" });
  return failure?.code ?? (value as { token_id: string }).token_id;
};

const clients = [
  {
    language: "TypeScript",
    sample: "js",
    folder: "client",
    program: process.execPath,
    inline: ["--input-type=module", "-e"],
  },
  {
    language: "Python",
    sample: "python",
    folder: "python-client",
    program: python.command,
    inline: ["-W", "error", "-c"],
  },
] as const;

describe.each(clients)("the $language client", ({ language, sample, folder, program, inline }) => {
  if (language === "Python") beforeEach((context) => requirePython(context));
  const driver = startDriver(language);
  const world = worldOf(language, driver);
  afterAll(() => driver.close());

  const open = async (token?: string): Promise<CallClient> =>
    world.open({ base_url: service.baseUrl, token: token ?? (await service.issueToken()) });

  test("runs the samples of its README in order", async () => {
    const code = await samplesOf(folder, sample);
    const env = language === "Python" ? python.environment : { NODE_NO_WARNINGS: "1" };
    await checkSamples(service, (variables) => run(program, [...inline, code], { cwd, env: { ...env, ...variables } }));
  });

  test("loads only what has changed, and does not change keys that were modified since they were read", async () => {
    const client = await open();
    const key_id = "é 🔑&+=//..\\;#/~*'()!:@,$|\"<>[]{}^`";
    const read: Call = { call: "get_key", key_id, keep: "read" };
    await client({ call: "create_key", key_id, v_code: vCode });
    const first = await client(read);
    expect(await client(read)).toEqual(first);
    await service.call("PUT", `/api/v1/key/${encodeURIComponent(key_id)}`, { form: { v_code: "w".repeat(64) } });

    for (const change of [{ call: "replace_key", v_code: vCode }, { call: "delete_key" }] as const) {
      const { failure } = await client({ ...change, key_id, if_unchanged: "read" });
      expect(failure).toMatchObject({ kind: "PreconditionFailed", code: "precondition_failed" });
      expect(service.logged()).toContain(failure?.request_id);
    }
    expect((await client(read)).value).toMatchObject({ key_id, v_code: "w".repeat(64) });
    expect(await client({ call: "delete_key", key_id, if_unchanged: "read" })).toMatchObject({ value: null });
  });

  test("follows changes from a cursor of the service, and learns that another cursor cannot be continued", async () => {
    const client = await open();
    const [page] = (await client({ call: "changes", take: 1 })).value as [{ cursor: string }];
    expect((await client({ call: "changes", cursor: page.cursor, take: 1 })).value).toHaveLength(1);
    const cursor = Buffer.from(JSON.stringify(["elsewhere", Date.now()])).toString("base64url");
    expect((await client({ call: "changes", cursor })).failure).toMatchObject({ kind: "CursorExpired" });
    const { failure } = await client({ call: "changes", cursor: "x" });
    expect(failure).toMatchObject({ kind: "ValidationFailed", fields: { cursor: [expect.any(String)] } });
  });

  test("rejects the same key_ids as the service, with the same messages, and sends all others", async () => {
    const { client, requests } = await world.uncalled();
    await fc.assert(
      fc.asyncProperty(keyIds, async (key_id) => {
        const result = validate(z.object({ key_id: keyId }), { key_id });
        const earlier = requests.length;
        const { failure } = await client({ call: "get_key", key_id });
        expect(failure?.fields).toEqual(result.valid ? undefined : result.fields);
        const sent = requests
          .slice(earlier)
          .map(({ url, headers }) => [decodeURIComponent(url), headers["x-sent-path"] === url]);
        // The service compares the received path with the one that was sent.
        expect(sent).toEqual(result.valid ? [[`/api/v1/key/${key_id}`, true]] : []);
      }),
      { numRuns: 50 },
    );
  });

  test("gets a token that an admin confirms, rotates and moves it, and revokes it from any address", async () => {
    const { token_id, invitation } = await invite(service);
    const client = await open("unused");
    const [enrolled] = await Promise.all([client({ call: "enrol", invitation }), confirmNext(service, token_id)]);
    expect(enrolled.notes?.confirmations).toMatchObject([
      { ip: "127.0.0.1", code: expect.stringMatching(/^...-...$/) },
    ]);
    const used = await open((enrolled.value as { token: string }).token);
    expect(await usedBy(used)).toBe(token_id);
    await used({ call: "rotate", grace_seconds: 0 });
    expect(await usedBy(used)).toBe((await newestOf(service, token_id)).token_id);
    await used({ call: "revoke" });
    expect(await usedBy(used)).toBe("token_revoked");

    const elsewhere = await service.issueToken("198.51.100.7");
    const moved = await open(elsewhere);
    expect(await usedBy(moved)).toBe("ip_not_allowed");
    await Promise.all([moved({ call: "move" }), confirmNext(service, idOf(elsewhere))]);
    expect(await usedBy(moved)).toBe((await newestOf(service, idOf(elsewhere))).token_id);
    await (await open(elsewhere))({ call: "revoke" });
  });

  test("shares a token in a file with another process through rotations and a move", async () => {
    const file = await tokenFile();
    const token = await service.issueToken("198.51.100.7");
    await file.store(token, due);
    const [first, second] = [await open(), await open()];
    for (const client of [first, second]) await client({ call: "open_kept", file: file.path, may_move: true });
    const newest = async () => (await newestOf(service, idOf(token))).token_id;

    await Promise.all([first({ call: "get_token" }), confirmNext(service, idOf(token))]);
    expect((await file.read()).token_id).toBe(await newest());
    await second({ call: "rotate", grace_seconds: 0 });
    expect(await usedBy(first)).toBe(await newest());
    // The response to this rotation is lost, and the old token has ended.
    await (await open((await file.read()).token))({ call: "rotate", grace_seconds: 0 });
    expect(await usedBy(second)).toBe(await newest());
    expect(await usedBy(first)).toBe((await file.read()).token_id);
  });

  test("gets one token for a workload's concurrent calls, and after a revocation a new one or the reason for its rejection", async () => {
    const { trust_id, subject, environment } = await trustWorkload(service);
    const client = await open("unused");
    await client({ call: "open_workload", environment });
    const { value } = await client({ call: "get_token_at_once" });
    const [{ token_id }, ...others] = value as [{ token_id: string }];
    expect(others).toEqual(Array(7).fill(expect.objectContaining({ token_id })));
    expect((await client({ call: "revoke" })).notes?.shown).not.toMatch(/itk_|eyJ/);
    expect(await service.admin({ action: "get", token_id })).toMatchObject({ trust_id, state: "revoked" });
    const revoked = await usedBy(client);
    await service.admin({ action: "revoke", token_id: revoked });
    expect(await usedBy(client)).not.toBe(revoked);

    // The service gives no reason to holders of JWTs from untrusted issuers.
    await trustWorkload(service);
    await service.admin({ action: "end_trust", trust_id });
    const message = `jwt_refused: The claim sub of this JWT is "${subject}", and no admin trusts this subject`;
    expect((await client({ call: "get_token" })).failure?.message).toContain(message);
  });
});

test("the Python client calls only existing endpoints, and knows all fields of their results", async (context) => {
  requirePython(context);
  const script = `
import dataclasses, json
from integration_api_client import Confirmation, IntegrationClient, IssuedToken, Key, Token
results = {"ConfirmationRequest": Confirmation, "IssuedToken": IssuedToken, "Key": Key, "Token": Token}
fields = {name: [field.name for field in dataclasses.fields(result)] for name, result in results.items()}
print(json.dumps({"calls": [name for name in dir(IntegrationClient) if not name.startswith("_")], "fields": fields}))`;
  const { stdout } = await run(python.command, ["-c", script], { env: python.environment });
  const { calls, fields } = JSON.parse(stdout);
  const endpoints = Object.values(api.versions).flatMap((resources) =>
    resources.flatMap(({ endpoints }) => Object.keys(endpoints)),
  );
  // `enrol` is a function of its own.
  const renamed: Record<string, string[]> = {
    listKeys: ["keys", "pages"],
    listKeyChanges: ["list_key_changes", "changes"],
    redeemInvitation: [],
    rotateToken: ["rotate"],
    moveToken: ["move"],
    revokeToken: ["revoke"],
  };
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

  expect(endpoints.flatMap((name) => renamed[name] ?? [snakeCase(name)])).toEqual(expect.arrayContaining(calls));
  expect(calls).toEqual(expect.arrayContaining(["keys", "create_key", "get_token", "rotate", "move", "revoke"]));
  const { components = {} } = describeApi(api);
  const schema = z.object({ properties: z.record(z.string(), z.unknown()) });
  const described = (name: string) => [name, Object.keys(schema.parse(components.schemas?.[name]).properties)];
  expect(fields).toEqual(Object.fromEntries(Object.keys(fields).map(described)));
});
