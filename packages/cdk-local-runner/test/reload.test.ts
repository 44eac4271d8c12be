import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Duration } from "aws-cdk-lib";
import { HttpMethod } from "aws-cdk-lib/aws-apigatewayv2";
import { AttributeType, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { signIn } from "../src/login/sign-in.ts";
import { sampleAssembly } from "./sample-app/sample-stack.ts";
import { writeLoginAssembly } from "./support/login-assembly.ts";
import { countThreads, folderOf, runningService, type TestedService, temporaryDirectory } from "./support/services.ts";

const stringKey = { name: "id", type: AttributeType.STRING };

const write = ({ baseUrl }: TestedService, id: string) =>
  fetch(`${baseUrl}/notes/${id}`, { method: "PUT", body: id, headers: { "content-type": "text/plain" } });
const read = async ({ baseUrl }: TestedService) => (await fetch(`${baseUrl}/notes`)).json();
const answer = async ({ baseUrl }: TestedService, path: string) => {
  const response = await fetch(`${baseUrl}${path}`);
  return response.ok ? response.text() : response.status;
};

const answering = (text: string) => folderOf({ "index.js": `exports.handler = async () => "${text}"` });

test("replaces routes and functions on the same port, keeps the data, and reports what changed", async () => {
  const threads = countThreads();
  const [old, gone, fresh, added] = await Promise.all(["old", "gone", "new", "added"].map(answering));
  const first = await sampleAssembly((sample) => {
    sample.addFunction("changed", HttpMethod.GET, "/changed", old);
    sample.addFunction("gone", HttpMethod.GET, "/gone", gone);
    new TableV2(sample, "unused", { tableName: "Unused", partitionKey: stringKey });
  });
  const second = await sampleAssembly((sample) => {
    sample.addFunction("changed", HttpMethod.GET, "/changed", fresh);
    sample.addFunction("added", HttpMethod.GET, "/added", added);
    new TableV2(sample, "more", { tableName: "More", partitionKey: stringKey });
  });
  const service = await runningService({ assembly: first });
  const { baseUrl } = service;
  await write(service, "a");
  const before = await Promise.all(["/changed", "/gone", "/added"].map((path) => answer(service, path)));

  const changes = await service.reload(second);

  expect(before).toEqual(["old", "gone", 404]);
  const after = await Promise.all(["/changed", "/gone", "/added"].map((path) => answer(service, path)));
  expect(after).toEqual(["new", 404, "added"]);
  expect(changes).toEqual({
    functions: { added: ["added"], removed: ["gone"], changed: ["changed"] },
    routes: { added: ["GET /added"], removed: ["GET /gone"], changed: [] },
    tables: { added: ["More"], removed: ["Unused"], changed: [] },
  });
  await expect.poll(() => threads.ofFunction("gone")).toBe(0);
  expect(service.baseUrl).toBe(baseUrl);
  expect(service.functionNames).toEqual(["write-note", "read-notes", "changed", "added"]);
  expect(service.tableNames).toContain("More");
  expect((await write(service, "b")).status).toBe(204);
  expect(await read(service)).toEqual({ a: "a", b: "b" });
});

test("changes nothing if the app is the same, and discards replaced code", async () => {
  const service = await runningService({ assembly: await sampleAssembly() });
  service.replaceCode("read-notes", await answering("replaced"));
  expect(await answer(service, "/notes")).toBe("replaced");
  const nothing = { added: [], removed: [], changed: [] };

  expect(await service.reload(await sampleAssembly())).toEqual({
    functions: nothing,
    routes: nothing,
    tables: nothing,
  });
  expect(await answer(service, "/notes")).toBe("{}");
});

test("applies the new assembly's permissions and drops the old ones", async () => {
  const service = await runningService({ assembly: await sampleAssembly() });
  expect((await write(service, "a")).status).toBe(204);
  const denial = new PolicyStatement({ effect: Effect.DENY, actions: ["dynamodb:PutItem"], resources: ["*"] });
  const changes = await service.reload(await sampleAssembly(({ writer }) => writer.addToRolePolicy(denial)));

  expect(changes.functions.changed).toEqual(["write-note"]);
  expect((await write(service, "b")).status).toBe(500);
  expect(await read(service)).toEqual({ a: "a" });
});

test("returns the response of a call in progress in a removed function, and then ends its thread", async () => {
  const threads = countThreads();
  const folder = await temporaryDirectory();
  const waiting = await folderOf({
    "index.js": `const { existsSync, watch } = require("node:fs");
      exports.handler = () => new Promise((resolve) => {
        const look = () => existsSync(${JSON.stringify(join(folder, "go"))}) && resolve("finished");
        watch(${JSON.stringify(folder)}, look);
        console.log("waiting");
        look();
      });`,
  });
  const first = await sampleAssembly((sample) => sample.addFunction("gone", HttpMethod.GET, "/gone", waiting));
  const service = await runningService({ assembly: first });
  const underWay = answer(service, "/gone");
  await expect.poll(() => service.logged()).toContain("[gone] waiting");
  await service.reload(await sampleAssembly());
  expect(await answer(service, "/gone")).toBe(404);
  await writeFile(join(folder, "go"), "");

  expect(await underWay).toBe("finished");
  await expect.poll(() => threads.ofFunction("gone")).toBe(0);
});

test("passes a request whose body is still arriving to the function that a reload removes", async () => {
  const arrived = Promise.withResolvers<void>();
  const echo = await folderOf({ "index.js": "exports.handler = async ({ body }) => body" });
  const service = await runningService({
    assembly: await sampleAssembly((sample) => sample.addFunction("gone", HttpMethod.POST, "/gone", echo)),
    middleware(_, __, next) {
      arrived.resolve();
      next();
    },
  });
  const upload = request(`${service.baseUrl}/gone`, { method: "POST", headers: { "content-type": "text/plain" } });
  const responded = once(upload, "response");
  upload.write("first ");
  await arrived.promise;
  await service.reload(await sampleAssembly());
  upload.end("second");

  const [response] = await responded;
  expect(await text(response)).toBe("first second");
});

test.each([
  ["has a queue", () => sampleAssembly((sample) => new Queue(sample, "queue")), /AWS::SQS::Queue is not supported/],
  [
    "changes the keys of a table",
    () =>
      sampleAssembly((sample) => {
        new TableV2(sample, "unused", { tableName: "Unused", partitionKey: { ...stringKey, name: "key" } });
      }),
    /Table Unused in .* has other keys or indexes/,
  ],
  ["does not exist", async () => "/missing", /There is no cloud assembly in \/missing/],
])("rejects an assembly that %s, and keeps the old application running", async (_, assemble, message) => {
  const assembly = await sampleAssembly((sample) => {
    new TableV2(sample, "unused", { tableName: "Unused", partitionKey: stringKey });
  });
  const service = await runningService({ assembly });
  await expect(service.reload(await assemble())).rejects.toThrow(message);

  expect(service.functionNames).toEqual(["write-note", "read-notes"]);
  expect((await write(service, "a")).status).toBe(204);
  expect(await read(service)).toEqual({ a: "a" });
  expect((await service.reload(assembly)).functions).toEqual({ added: [], removed: [], changed: [] });
});

test("performs simultaneous reloads one after another, and keeps the last one", async () => {
  const service = await runningService({ assembly: await sampleAssembly() });
  const [one, two] = await Promise.all(["one", "two"].map(answering));
  const assemblyWith = (folder: string | undefined) =>
    sampleAssembly((sample) => sample.addFunction("extra", HttpMethod.GET, "/extra", folder));
  const [first, second] = [await assemblyWith(one), await assemblyWith(two)];

  const [added, changed] = await Promise.all([service.reload(first), service.reload(second)]);

  expect(added.functions).toEqual({ added: ["extra"], removed: [], changed: [] });
  expect(changed.functions).toEqual({ added: [], removed: [], changed: ["extra"] });
  expect(await answer(service, "/extra")).toBe("two");
});

test("changes user pool clients, while logins, sessions and tokens stay valid", async () => {
  const guest = { username: "guest@example.com", password: "let me in", groups: [] };
  const [first, second] = [await temporaryDirectory(), await temporaryDirectory()];
  const service = await runningService({ assembly: writeLoginAssembly(first), additionalUsers: [guest] });
  const { logins } = service;
  const token = await signIn(service, guest);

  await service.reload(writeLoginAssembly(second, { accessTokenValidity: Duration.minutes(5) }));
  const later = decodeJwt(await signIn(service, guest));

  const guarded = await fetch(`${service.baseUrl}/guarded`, { headers: { authorization: `Bearer ${token}` } });
  expect(guarded.status).toBe(200);
  expect((later.exp ?? 0) - (later.iat ?? 0)).toBe(5 * 60);
  expect(later.sub).toBe(decodeJwt(token).sub);
  expect(service.logins).toEqual(logins);
});
