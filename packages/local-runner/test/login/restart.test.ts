import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { freePort } from "../../../../test/local/project-fixture.ts";
import { signIn } from "../../../../tools/support/sign-in.ts";
import { type LocalServiceOptions, startLocalService } from "../../src/service.ts";
import { runningService, tableResource, temporaryDirectory, writeAssembly } from "../fixtures.ts";
import { writeLoginAssembly } from "../login-fixture.ts";

const place = async (): Promise<Pick<LocalServiceOptions, "port" | "assembly" | "dataDirectory">> => {
  const directory = await temporaryDirectory();
  return {
    port: await freePort(),
    assembly: await writeLoginAssembly(directory),
    dataDirectory: join(directory, "data"),
  };
};

test("a restart keeps the passwords, the users' ids and the key: a token from before it still holds", async () => {
  const options = await place();
  const first = await startLocalService(options);
  const [login] = first.logins;
  if (login === undefined) throw new Error("There is no login.");
  const token = await signIn(first, login);
  const { logins, loginUrl } = first;
  await first.close();
  const second = await startLocalService(options);
  const response = await fetch(`${second.baseUrl}/guarded`, { headers: { authorization: `Bearer ${token}` } });
  const again = await signIn(second, login);
  await second.close();

  expect(loginUrl).toBe(`http://127.0.0.1:${options.port + 3}`);
  expect(second.logins).toEqual(logins);
  expect(response.status).toBe(200);
  expect(decodeJwt(again).sub).toBe(decodeJwt(token).sub);
});

test("the file of logins is its user's own, and holds none of the users that one run alone brings", async () => {
  const options = await place();
  const guest = { username: "guest@example.com", password: "let me in", groups: [] };
  const service = await startLocalService({ ...options, additionalUsers: [guest] });
  await service.close();
  const path = join(options.dataDirectory, "login.json");

  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await readdir(options.dataDirectory)).toSorted()).toEqual(["dynamodb", "login.json"]);
  const { users } = JSON.parse(await readFile(path, "utf8"));
  expect(Object.keys(users)).toEqual(["Alice", "admin@example.com", "superuser@example.com"]);
});

test("a user that the template has since is added, and nobody else's password changes", async () => {
  const options = await place();
  await (await startLocalService(options)).close();
  const path = join(options.dataDirectory, "login.json");
  const before = JSON.parse(await readFile(path, "utf8"));
  const { Alice, ...others } = before.users;
  await writeFile(path, JSON.stringify({ ...before, users: others }));
  await (await startLocalService(options)).close();
  const after = JSON.parse(await readFile(path, "utf8"));

  expect(after).toEqual({ ...before, users: { ...others, Alice: expect.any(Object) } });
  expect(after.users.Alice).not.toEqual(Alice);
});

test.each([
  ["cut off", (text: string) => text.slice(0, 100)],
  ["empty", () => ""],
  ["without a key", (text: string) => text.replace('"signing_key"', '"other"')],
  ["with a damaged key", (text: string) => text.replace(/"n": "[^"]+"/, '"n": "AQAB"')],
])("a file of logins that is %s stops the start in a sentence that says what to do", async (_, damage) => {
  const options = await place();
  await (await startLocalService(options)).close();
  const path = join(options.dataDirectory, "login.json");
  const damaged = damage(await readFile(path, "utf8"));
  await writeFile(path, damaged);

  await expect(startLocalService(options)).rejects.toThrow(
    /^The logins in \S+\/login\.json cannot be read \(.+\): restore a copy of that file, or delete it, /,
  );
  expect(await readFile(path, "utf8")).toBe(damaged);
});

test("a data folder in which the logins cannot be kept is named, with what to do", async () => {
  const options = await place();
  await mkdir(join(options.dataDirectory, "login.json"), { recursive: true });

  await expect(startLocalService(options)).rejects.toThrow(/^The logins in \S+\/login\.json cannot be read \(EISDIR/);
});

test("without a user pool there is no login, and its port says so", async () => {
  const assembly = await writeAssembly(await temporaryDirectory(), { resources: { Keys: tableResource() } });
  const port = await freePort();
  const service = await runningService({ assembly, port });

  expect(service).toMatchObject({ loginUrl: undefined, loginClientIds: [], logins: [] });
  const answer = await fetch(`http://127.0.0.1:${port + 3}/`);
  expect([answer.status, await answer.text()]).toEqual([404, "This application has no user pool."]);
});
