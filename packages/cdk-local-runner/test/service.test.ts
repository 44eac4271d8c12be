import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { startLocalService } from "../src/service.ts";
import { openListener } from "../src/support/http-listener.ts";
import { apiResources, functionResources, tableResource, writeAssembly } from "./support/assemblies.ts";
import { countThreads, runningService, temporaryDirectory } from "./support/services.ts";

test("gives tables and functions local names and addresses, and ends the functions' threads on close", async () => {
  const threads = countThreads();
  const assembly = await writeAssembly(await temporaryDirectory(), {
    resources: {
      ...functionResources("keys", { properties: { Environment: { Variables: { TABLE: { Ref: "KeyTable" } } } } }),
      ...apiResources({ $default: "keys" }),
      KeyTable: tableResource(),
    },
    code: { keys: { "index.mjs": "export const handler = async () => process.env.TABLE" } },
  });
  const service = await runningService({ assembly });

  expect(service.tableNames).toEqual(["KeyTable"]);
  expect(service.functionNames).toEqual(["keys"]);
  expect(await (await fetch(service.baseUrl)).text()).toBe("KeyTable");
  expect(threads.ofFunction("keys")).toBe(1);
  await service.close();
  expect(threads.ofFunction("keys")).toBe(0);
});

test("uses an external DynamoDB, with the user's credentials, instead of the embedded one", async () => {
  const assembly = async (name: string, code: string) =>
    writeAssembly(await temporaryDirectory(), {
      resources: { ...functionResources(name, { properties: { Timeout: 10 } }), [`${name}Table`]: tableResource() },
      code: { [name]: { "index.js": code } },
    });
  const listTables = `const { DynamoDBClient, ListTablesCommand } = require("@aws-sdk/client-dynamodb");
    exports.handler = async () => [(await new DynamoDBClient({}).send(new ListTablesCommand())).TableNames, process.env.AWS_ACCESS_KEY_ID]`;
  const other = await runningService({ assembly: await assembly("other", "") });
  const externalDatabase = {
    endpoint: other.dynamodbUrl,
    region: "us-east-1",
    credentials: { accessKeyId: "mine", secretAccessKey: "secret" },
  };
  const service = await runningService({ assembly: await assembly("lister", listTables), externalDatabase });

  expect(service.dynamodbUrl).toBe(other.dynamodbUrl);
  expect(JSON.parse((await service.invoke("lister", {})).payload)).toEqual([["listerTable", "otherTable"], "mine"]);
});

test("returns 404 for every path without an API, and offers no login without a user pool", async () => {
  const assembly = await writeAssembly(await temporaryDirectory(), { resources: { Keys: tableResource() } });
  const service = await runningService({ assembly });

  expect(service).toMatchObject({ loginUrl: undefined, loginClientIds: [], logins: [] });
  expect((await fetch(service.baseUrl)).status).toBe(404);
});

test("stops a second run before it creates an assembly, while the first one keeps running", async () => {
  const directory = await temporaryDirectory();
  const assembly = await writeAssembly(directory, { resources: { Keys: tableResource() } });
  const dataDirectory = join(directory, "data");
  const first = await runningService({ assembly, dataDirectory });
  const makeAssembly = async () => expect.unreachable();

  await expect(startLocalService({ port: 0, dataDirectory, assembly: makeAssembly })).rejects.toMatchObject({
    message: expect.stringMatching(/^Another local run uses the data folder /),
    option: "dataDirectory",
  });
  expect((await fetch(first.baseUrl)).status).toBe(404);
});

test("holds a request that arrives before the application is ready, and responds once it is", async () => {
  const listener = await openListener(0, "the test");
  onTestFinished(() => listener.close(0));
  const early = request(listener.url, { headers: { expect: "100-continue" } });
  early.flushHeaders();
  const responded = once(early, "response");
  // The server has accepted the request.
  await once(early, "continue");
  listener.serve((_, response) => response.end("ready"));
  early.end();
  const [response]: IncomingMessage[] = await responded;

  expect(response && (await text(response))).toBe("ready");
});
