import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { UserPoolDefinition } from "../../src/assembly/user-pool.ts";
import { authorizeByJwt } from "../../src/gateway/jwt-authorizer.ts";
import { createLogin, createMemoryAdapter } from "../../src/login/login.ts";
import { openLoginFile } from "../../src/login/login-file.ts";
import { signIn } from "../../src/login/sign-in.ts";
import { openListener } from "../../src/support/http-listener.ts";
import { folderOf, newDirectory, temporaryDirectory } from "../support/services.ts";

const baseUrl = "http://127.0.0.1:1";
const userPool: UserPoolDefinition = {
  isCaseSensitive: false,
  groups: ["Admin"],
  users: [],
  clients: [
    {
      id: "web",
      scopes: ["openid", "email"],
      callbackUrls: [`${baseUrl}/`],
      logoutUrls: [],
      accessTokenSeconds: 3600,
      idTokenSeconds: 3600,
      mayRevoke: true,
    },
  ],
};

const startLogin = async (dataDirectory: string, port: number) => {
  const listener = await openListener(port, "the login");
  const log = (text: string) => expect.unreachable(text);
  const login = createLogin({ listener, baseUrl, dataDirectory, additionalUsers: [], log });
  const issuer = await login.prepare(userPool);
  login.serve(issuer);
  const [user] = issuer?.logins ?? [];
  if (!user) throw new Error("There is no login.");
  return { listener, issuer, user, service: { baseUrl, loginUrl: listener.url, loginClientIds: ["web"] } };
};

test("after a restart passwords, users' ids and the key are the same, so earlier tokens stay valid", async () => {
  const dataDirectory = await temporaryDirectory();
  const first = await startLogin(dataDirectory, 0);
  const token = await signIn(first.service, first.user);
  await first.listener.close(0);
  const second = await startLogin(dataDirectory, first.listener.port);
  const again = await signIn(second.service, first.user);
  const route = { authorizer: { issuer: second.listener.url, audience: ["web"] }, scopes: [] };
  const authorized = await authorizeByJwt(token, route, second.issuer?.keys);
  await second.listener.close(0);

  expect(second.user).toEqual(first.user);
  expect(authorized).toMatchObject({ jwt: { claims: { username: first.user.username } } });
  expect(decodeJwt(again).sub).toBe(decodeJwt(token).sub);
});

test("the login's port says so if the application has no user pool", async () => {
  const listener = await openListener(0, "the login");
  const log = (text: string) => expect.unreachable(text);
  const login = createLogin({ listener, baseUrl, dataDirectory: "unused", additionalUsers: [], log });
  login.serve(await login.prepare(undefined));
  const answer = await fetch(listener.url);
  const text = await answer.text();
  await listener.close(0);

  expect([answer.status, text]).toEqual([404, "This application has no user pool."]);
});

const usernames = ["Alice", "admin@example.com"];

// Making a signing key takes a while, so all tests use the same one.
let directory: string;
let text: string;
beforeAll(async () => {
  directory = await newDirectory();
  await openLoginFile(directory, usernames);
  text = await readFile(join(directory, "login.json"), "utf8");
  return () => rm(directory, { recursive: true });
});

test("the file can be read only by its owner, and no temporary copy is left", async () => {
  expect((await stat(join(directory, "login.json"))).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(["login.json"]);
});

test("users keep their ids and passwords, and a new user is added", async () => {
  const before = await openLoginFile(directory, usernames);
  const folder = await folderOf({ "login.json": text });
  const after = await openLoginFile(folder, [...usernames, "new"]);

  expect(Object.keys(before.users)).toEqual(usernames);
  expect(after).toEqual({ ...before, users: { ...before.users, new: expect.any(Object) } });
  expect(await openLoginFile(folder, usernames)).toEqual(after);
});

test.each([
  ["cut off", () => text.slice(0, 100)],
  ["empty", () => ""],
  ["without a key", () => text.replace('"signing_key"', '"other"')],
  ["changed in a password", () => text.replace(/("password": ".)./, "$1_")],
  ["without the name of its checksum", () => text.replace('"checksum"', '"checksun"')],
  ["with a damaged key", () => text.replace(/"n": "[^"]+"/, '"n": "AQAB"')],
])("a file that is %s is left as it is, and the message says what to do", async (_, damagedText) => {
  const damaged = damagedText();
  const folder = await folderOf({ "login.json": damaged });

  await expect(openLoginFile(folder, usernames)).rejects.toThrow(
    /^The logins in \S+\/login\.json cannot be read \(.+\): restore a copy of that file, or delete it, /,
  );
  expect(await readFile(join(folder, "login.json"), "utf8")).toBe(damaged);
});

test("a file of version 1.0, without a checksum, keeps its logins and gets one", async () => {
  const folder = await folderOf({ "login.json": text.replace(/\n {2}"checksum": .*/, "") });

  await openLoginFile(folder, usernames);
  expect(await readFile(join(folder, "login.json"), "utf8")).toBe(text);
});

test("a file that others could read becomes private", async () => {
  const folder = await folderOf({ "login.json": text });
  await chmod(join(folder, "login.json"), 0o644);

  await openLoginFile(folder, usernames);
  expect((await stat(join(folder, "login.json"))).mode & 0o777).toBe(0o600);
});

test("a folder in place of the file is reported by name", async () => {
  const folder = await temporaryDirectory();
  await mkdir(join(folder, "login.json"));

  await expect(openLoginFile(folder, usernames)).rejects.toThrow(/login\.json cannot be read \(EISDIR/);
});

test("a data folder that is not writable is reported by name, with instructions", async () => {
  const folder = await temporaryDirectory();
  await writeFile(join(folder, "data"), "not a folder");

  // A file in place of the folder stops even a user who may write anywhere.
  await expect(openLoginFile(join(folder, "data", "deeper"), usernames)).rejects.toMatchObject({
    message: expect.stringMatching(/^The logins /),
    option: "dataDirectory",
  });
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("an entry is found by its id and by its uid until it expires", async () => {
  const sessions = createMemoryAdapter()("Session");
  await sessions.upsert("a", { uid: "u", accountId: "alice" }, 60);

  vi.advanceTimersByTime(59_999);
  expect(await sessions.find("a")).toMatchObject({ accountId: "alice" });
  expect(await sessions.findByUid("u")).toMatchObject({ accountId: "alice" });
  vi.advanceTimersByTime(1);
  expect(await sessions.find("a")).toBeUndefined();
  expect(await sessions.findByUid("u")).toBeUndefined();
});

test("an expired code cannot be consumed", async () => {
  const codes = createMemoryAdapter()("AuthorizationCode");
  const payload = { grantId: "g" };
  await codes.upsert("a", payload, 60);
  vi.advanceTimersByTime(60_000);
  await codes.consume("a");

  expect(payload).not.toHaveProperty("consumed");
});

test("an entry without a lifetime does not expire", async () => {
  const grants = createMemoryAdapter()("Grant");
  await grants.upsert("a", { accountId: "alice" });
  vi.advanceTimersByTime(365 * 86_400_000);

  expect(await grants.find("a")).toMatchObject({ accountId: "alice" });
});

test("entries of other models are not found, and a grant's entries end with it", async () => {
  const adapterOf = createMemoryAdapter();
  const [sessions, codes] = [adapterOf("Session"), adapterOf("AuthorizationCode")];
  await sessions.upsert("a", { uid: "u", grantId: "other" }, 60);
  await codes.upsert("b", { grantId: "g" }, 60);

  expect(await codes.find("a")).toBeUndefined();
  expect(await codes.findByUid("u")).toBeUndefined();
  await codes.revokeByGrantId("g");
  expect(await codes.find("b")).toBeUndefined();
  expect(await sessions.find("a")).toBeDefined();
});
