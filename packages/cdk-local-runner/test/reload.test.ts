import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Duration } from "aws-cdk-lib";
import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { signIn } from "../src/login/sign-in.ts";
import { apiResources, type Resources, tableResource } from "./support/assemblies.ts";
import { writeLoginAssembly } from "./support/login-assembly.ts";
import {
  countThreads,
  folderOf,
  runningService,
  type TestedService,
  temporaryDirectory,
  writeFunctions,
} from "./support/services.ts";

const client = `const sdk = require("@aws-sdk/client-dynamodb");
const database = new sdk.DynamoDBClient();`;

const writeNote = `${client}
exports.handler = async ({ pathParameters: { id }, body }) => {
  await database.send(new sdk.PutItemCommand({ TableName: "Notes", Item: { id: { S: id }, text: { S: body } } }));
  return { statusCode: 204 };
};`;

const readNotes = `${client}
exports.handler = async () => {
  const { Items } = await database.send(new sdk.ScanCommand({ TableName: "Notes" }));
  return Object.fromEntries(Items.map(({ id, text }) => [id.S, text.S]));
};`;

interface Additions {
  /** The code of further functions, by route. A function is named after its path. */
  functions?: Record<string, string>;
  /** Statements of the role of the function that writes notes. */
  statements?: object[];
  resources?: Resources;
}

/** Writes the assembly of an app with notes behind an HTTP API. One function writes them and another reads them. */
const notesWith = async ({ functions = {}, statements = [], resources = {} }: Additions = {}): Promise<string> => {
  const allow = (Action: string) => ({ Effect: "Allow", Action, Resource: { "Fn::GetAtt": ["Notes", "Arn"] } });
  const routes = { "PUT /notes/{id}": "write-note", "GET /notes": "read-notes" };
  const others = Object.entries(functions).map(([route, code]) => ({ route, name: route.split("/")[1] ?? "", code }));
  return writeFunctions(
    await temporaryDirectory(),
    {
      "write-note": { code: writeNote, statements: [allow("dynamodb:PutItem"), ...statements] },
      "read-notes": { code: readNotes, statements: [allow("dynamodb:Scan")] },
      ...Object.fromEntries(others.map(({ name, code }) => [name, { code, properties: { Code: { S3Key: code } } }])),
    },
    {
      ...apiResources({ ...routes, ...Object.fromEntries(others.map(({ route, name }) => [route, name])) }),
      ...{ Notes: tableResource(), ...resources },
    },
  );
};

const write = ({ baseUrl }: TestedService, id: string) =>
  fetch(`${baseUrl}/notes/${id}`, { method: "PUT", body: id, headers: { "content-type": "text/plain" } });
const read = async ({ baseUrl }: TestedService) => (await fetch(`${baseUrl}/notes`)).json();
const answer = async ({ baseUrl }: TestedService, path: string) => {
  const response = await fetch(`${baseUrl}${path}`);
  return response.ok ? response.text() : response.status;
};

const answering = (text: string) => `exports.handler = async () => "${text}"`;

test("replaces routes and functions on the same port, keeps the data, and reports what changed", async () => {
  const threads = countThreads();
  const first = await notesWith({
    functions: { "GET /changed": answering("old"), "GET /gone": answering("gone") },
    resources: { Unused: tableResource() },
  });
  const second = await notesWith({
    functions: { "GET /changed": answering("new"), "GET /added": answering("added") },
    resources: { More: tableResource() },
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
  const service = await runningService({ assembly: await notesWith() });
  service.replaceCode("read-notes", await folderOf({ "index.js": answering("replaced") }));
  expect(await answer(service, "/notes")).toBe("replaced");
  const nothing = { added: [], removed: [], changed: [] };

  expect(await service.reload(await notesWith())).toEqual({
    functions: nothing,
    routes: nothing,
    tables: nothing,
  });
  expect(await answer(service, "/notes")).toBe("{}");
});

test("applies the new assembly's permissions and drops the old ones", async () => {
  const service = await runningService({ assembly: await notesWith() });
  expect((await write(service, "a")).status).toBe(204);
  const denial = { Effect: "Deny", Action: "dynamodb:PutItem", Resource: "*" };
  const changes = await service.reload(await notesWith({ statements: [denial] }));

  expect(changes.functions.changed).toEqual(["write-note"]);
  expect((await write(service, "b")).status).toBe(500);
  expect(await read(service)).toEqual({ a: "a" });
});

test("returns the response of a call in progress in a removed function, and then ends its thread", async () => {
  const threads = countThreads();
  const folder = await temporaryDirectory();
  const waiting = `const { existsSync, watch } = require("node:fs");
    exports.handler = () => new Promise((resolve) => {
      const look = () => existsSync(${JSON.stringify(join(folder, "go"))}) && resolve("finished");
      watch(${JSON.stringify(folder)}, look);
      console.log("waiting");
      look();
    });`;
  const first = await notesWith({ functions: { "GET /gone": waiting } });
  const service = await runningService({ assembly: first });
  const underWay = answer(service, "/gone");
  await expect.poll(() => service.logged()).toContain("[gone] waiting");
  await service.reload(await notesWith());
  expect(await answer(service, "/gone")).toBe(404);
  await writeFile(join(folder, "go"), "");

  expect(await underWay).toBe("finished");
  await expect.poll(() => threads.ofFunction("gone")).toBe(0);
});

test("passes a request whose body is still arriving to the function that a reload removes", async () => {
  const arrived = Promise.withResolvers<void>();
  const service = await runningService({
    assembly: await notesWith({ functions: { "POST /gone": "exports.handler = async ({ body }) => body" } }),
    middleware(_, __, next) {
      arrived.resolve();
      next();
    },
  });
  const upload = request(`${service.baseUrl}/gone`, { method: "POST", headers: { "content-type": "text/plain" } });
  const responded = once(upload, "response");
  upload.write("first ");
  await arrived.promise;
  await service.reload(await notesWith());
  upload.end("second");

  const [response] = await responded;
  expect(await text(response)).toBe("first second");
});

const otherKeys = [{ AttributeName: "other", KeyType: "HASH" }];
const otherKey = [{ AttributeName: "other", AttributeType: "S" }];

test.each([
  [
    "has a queue",
    () => notesWith({ resources: { Queue: { Type: "AWS::SQS::Queue" } } }),
    /AWS::SQS::Queue is not supported/,
  ],
  [
    "changes the keys of a table",
    () => notesWith({ resources: { Unused: tableResource({ AttributeDefinitions: otherKey, KeySchema: otherKeys }) } }),
    /Table Unused in .* has different keys or indexes/,
  ],
  ["does not exist", async () => "/missing", /There is no cloud assembly in \/missing/],
])("rejects an assembly that %s, and keeps the old application running", async (_, assemble, message) => {
  const assembly = await notesWith({ resources: { Unused: tableResource() } });
  const service = await runningService({ assembly });
  await expect(service.reload(await assemble())).rejects.toThrow(message);

  expect(service.functionNames).toEqual(["write-note", "read-notes"]);
  expect((await write(service, "a")).status).toBe(204);
  expect(await read(service)).toEqual({ a: "a" });
  expect((await service.reload(assembly)).functions).toEqual({ added: [], removed: [], changed: [] });
});

test("performs simultaneous reloads one after another, and keeps the last one", async () => {
  const service = await runningService({ assembly: await notesWith() });
  const [first, second] = [
    await notesWith({ functions: { "GET /extra": answering("one") } }),
    await notesWith({ functions: { "GET /extra": answering("two") } }),
  ];

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
