import { mkdtemp, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { DynamoDBClient, ListTablesCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { type Application, localAwsEnvironment, readApplication } from "cdk-local-runner/parts";
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import { storeNames, tables } from "../../lambdas/domain/built-in-stores.ts";
import { keyNamesOf } from "../../lambdas/dynamodb/table.ts";
import { declaredTableRights, usedTableRights } from "../kit/permissions.ts";
import { captureLog } from "../lambdas/support/outcomes.ts";
import { type AwsRequest, isSigned, startAwsStub } from "../support/aws-stub.ts";
import { type OwnService, startService, tablesOf } from "../support/service.ts";

/*
 * Tests the version check's deployed bundle. The local run stands in for Lambda, and a stub for CloudFormation.
 */

const secretAccessKey = "secret";
/** The functions in the stack of the API. Each nested stack has its own version check, with the same code. */
const declared = functionsOf(api).filter(({ kind, stack }) => kind !== "check" && stack === undefined);

let service: OwnService;
let functions: Application["functions"];
beforeAll(async () => {
  service = await startService();
  const places = { environment: localAwsEnvironment(), baseUrl: service.baseUrl, loginUrl: service.baseUrl };
  ({ functions } = await readApplication(inject("assemblyDirectory"), places));
});
afterAll(() => service.close());
/** The functions whose code a test has replaced. */
const broken = new Set<string>();
afterEach(() => {
  for (const name of broken) service.replaceCode(name, definitionOf(name).codeDirectory);
  broken.clear();
});

const definitionOf = (name: string) => {
  const found = functions.find((definition) => definition.name === name);
  if (!found) throw new Error(`There is no function ${name}.`);
  return found;
};

interface Verdict {
  status: unknown;
  reason: string;
  log: Record<string, unknown>[];
  requests: AwsRequest[];
}

interface Deployment {
  requestType?: string;
  patienceSeconds?: number;
  stackStatus?: string;
  lambdaUrl?: string;
}

const require = createRequire(import.meta.url);

/** Checks these functions in a new execution environment, as CloudFormation does during a deployment. */
const check = async (
  functionNames: string | string[],
  {
    requestType = "Update",
    patienceSeconds = 0,
    stackStatus = "UPDATE_IN_PROGRESS",
    lambdaUrl = service.invokeUrl,
  }: Deployment = {},
): Promise<Verdict> => {
  const cloudFormation = await startAwsStub(({ method }) => ({
    body: method === "PUT" ? "" : `<Stacks><member><StackStatus>${stackStatus}</StackStatus></member></Stacks>`,
  }));
  onTestFinished(cloudFormation.close);
  const { codeDirectory, environment } = definitionOf("version-check");
  const variables = {
    ...environment,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: "session",
    AWS_ENDPOINT_URL_LAMBDA: lambdaUrl,
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const bundle = join(codeDirectory, "index.js");
  delete require.cache[bundle];
  const log = captureLog();
  const sent = { StackId: "stack-1", RequestId: "request-1", LogicalResourceId: "Checked" };
  const event = {
    ...sent,
    RequestType: requestType,
    ResponseURL: `${cloudFormation.url}/answer?signature=1`,
    ResourceProperties: {
      Versions: Object.fromEntries([functionNames].flat().map((name) => [name, `${name}:1`])),
      PatienceSeconds: `${patienceSeconds}`,
    },
  };
  await require(bundle).handler(event, { getRemainingTimeInMillis: () => 60_000 });
  const requests = cloudFormation.requests.filter(({ method }) => method === "PUT");
  const [response] = requests.map(({ body }) => JSON.parse(body));
  expect(requests).toHaveLength(1);
  expect(response).toMatchObject({ ...sent, PhysicalResourceId: "version-check" });
  const lines = log.text().split("\n").filter(Boolean);
  return { status: response.Status, reason: response.Reason, log: lines.map((line) => JSON.parse(line)), requests };
};

/** Replaces a function with code in a new folder. `original` is the path of its bundle. */
const replaceCode = async (name: string, code: (original: string) => string): Promise<void> => {
  const directory = await mkdtemp(join(inject("otherAssemblies"), "broken-"));
  const original = join(definitionOf(name).codeDirectory, "index.js");
  await writeFile(join(directory, "index.js"), code(JSON.stringify(original)));
  service.replaceCode(name, directory);
  broken.add(name);
};

test.each(declared.map(({ name }) => name))("a working version of %s receives traffic", async (name) => {
  const { status, log } = await check(name);
  expect(log).toEqual([expect.objectContaining({ level: "INFO", message: "version_checked", version: `${name}:1` })]);
  expect(status).toBe("SUCCESS");
});

/** Returns all items of all tables. */
const readTables = async (client: DynamoDBClient): Promise<unknown[]> => {
  const { TableNames = [] } = await client.send(new ListTablesCommand());
  const pages = TableNames.map((TableName) => client.send(new ScanCommand({ TableName })));
  return (await Promise.all(pages)).map(({ Items }) => Items);
};

test("the checks try every table permission that the functions need, and change nothing", async () => {
  // Operators have credentials that belong to no function, with which everything is allowed.
  const credentials = { accessKeyId: "operator", secretAccessKey };
  const client = new DynamoDBClient({ endpoint: service.dynamodbUrl, region: "us-east-1", credentials });
  onTestFinished(() => client.destroy());
  // Items with the very key that the checks use. Tokens are left out, because an invalid one fails the check of the admin.
  for (const store of storeNames.filter((name) => name !== "tokens")) {
    const names = keyNamesOf(tables[store]);
    await tablesOf(service).put(store, Object.fromEntries(names.map((name) => [name, "version-check"])));
  }
  await service.invoke("admin", { action: "issue", ip: "198.51.100.7" });
  const before = await readTables(client);
  await check(declared.map(({ name }) => name));

  const names = new Set(declared.map(({ name }) => name));
  const needed = declaredTableRights(api).filter((right) => names.has(String(right.split(" ")[0])));
  expect(await usedTableRights(service)).toEqual(expect.arrayContaining(needed));
  expect(await readTables(client)).toEqual(before);
});

/** One function of each kind. */
const examples = [...Map.groupBy(declared, ({ kind }) => kind).values()].flatMap(([first]) => first ?? []);
const cannotStart = () => 'throw new Error("cannot start");';
const respondsDifferently = () => "exports.handler = async () => ({ statusCode: 200, headers: {}, body: '{}' });";

/** The function, the defect of its new version, and that version's code. */
type Flaw = [name: string, flaw: string, code: (original: string) => string];

test.each<Flaw>([
  ...examples.map(({ name }): Flaw => [name, "does not start", cannotStart]),
  ...examples.map(({ name }): Flaw => [name, "gives another response", respondsDifferently]),
])("a version of %s that %s receives no traffic", async (name, _, code) => {
  await replaceCode(name, code);
  const { status, log } = await check(name);
  expect(status).toBe("FAILED");
  const cause = code === cannotStart ? expect.stringContaining("cannot start") : expect.any(String);
  expect(log).toEqual([expect.objectContaining({ level: "ERROR", message: "version_check_failed", cause })]);
});

test("a function without a check stops the deployment, unless the deployment removes its check", async () => {
  expect(await check("other")).toMatchObject({
    status: "FAILED",
    reason: expect.stringContaining('There is no check for the function "other".'),
  });
  expect(await check("other", { requestType: "Delete" })).toMatchObject({ status: "SUCCESS", log: [] });
});

describe("the calls to AWS", () => {
  /** The response to each request of an endpoint's check. */
  const works = { body: { statusCode: 401, body: '{"code":"token_invalid"}', proven: true, failures: [] } };
  /** Returns the endpoints that reject their check's request in this way. */
  const endpoints = declared.filter(
    ({ kind, checks }) => kind === "endpoint" && JSON.stringify(checks).includes("token_invalid"),
  );

  /** Checks functions with a stub of Lambda, which gets the number of each call. */
  const checkWith = async (
    responseTo: (call: number) => ReturnType<Parameters<typeof startAwsStub>[0]>,
    functionNames: string[],
    deployment?: Deployment,
  ) => {
    let calls = 0;
    const lambda = await startAwsStub(() => responseTo(++calls));
    onTestFinished(lambda.close);
    return { ...(await check(functionNames, { ...deployment, lambdaUrl: lambda.url })), lambda: lambda.requests };
  };

  test("are signed, except for the response to CloudFormation, whose URL is presigned", async () => {
    const { status, requests, lambda } = await checkWith(() => works, ["v1-get-key"]);
    expect(status).toBe("SUCCESS");
    expect(lambda.map(({ method, path }) => [method, path])).toEqual(
      Array(2).fill(["POST", "/2015-03-31/functions/v1-get-key%3A1/invocations"]),
    );
    for (const request of lambda) expect(isSigned(request, secretAccessKey)).toBe(true);
    expect(requests).toMatchObject([{ method: "PUT", path: "/answer?signature=1" }]);
    expect(requests[0]?.headers).not.toHaveProperty("content-type");
  });

  test("are made sequentially, so that a new account's ten concurrent executions suffice", async () => {
    let running = 0;
    const response = async () => {
      running += 1;
      expect(running).toBe(1);
      await setImmediate();
      running -= 1;
      return works;
    };
    const { status, lambda } = await checkWith(
      response,
      endpoints.map(({ name }) => name),
    );
    expect({ status, calls: lambda.length }).toEqual({ status: "SUCCESS", calls: 2 * endpoints.length });
  });

  test("are retried if Lambda has no capacity, is not ready, or fails at first", async () => {
    const failures = [429, 409, 500];
    const { status, lambda } = await checkWith(
      (call) => {
        const failure = failures[call - 1];
        return failure === undefined ? works : { status: failure, body: {} };
      },
      ["v1-get-key"],
    );
    expect({ status, calls: lambda.length }).toEqual({ status: "SUCCESS", calls: 5 });
  });

  const notAuthorised = { status: 403, body: { Message: "not authorised" } };

  test.each([
    ["Lambda refuses one", notAuthorised],
    ["a version fails", { body: { statusCode: 500 } }],
  ])("are retried after all others if %s, because permissions may take a moment to apply", async (_, failure) => {
    const responseTo = (call: number) => (call === 1 ? failure : works);
    const { status, log } = await checkWith(responseTo, ["v1-get-key", "v1-get-token"], { patienceSeconds: 60 });
    expect(status).toBe("SUCCESS");
    expect(log.map(({ version }) => version)).toEqual(["v1-get-token:1", "v1-get-key:1"]);
  });

  const lacksIndex = { body: { proven: false, failures: ["shipments Query byStatus: ValidationException"] } };

  test("are retried beyond their patience while only an index is missing, which DynamoDB may still be filling", async () => {
    const responseTo = (call: number) => (call < 3 ? lacksIndex : works);
    expect((await checkWith(responseTo, ["v1-get-key"], { patienceSeconds: 0 })).status).toBe("SUCCESS");
  });

  test("stop the deployment if an index is still missing at the end, and say what to do", async () => {
    onTestFinished(() => void vi.useRealTimers());
    const responseTo = () => {
      vi.setSystemTime(Date.now() + 60_000);
      return lacksIndex;
    };
    const { status, reason } = await checkWith(responseTo, ["v1-get-key"]);
    expect({ status, reason }).toEqual({
      status: "FAILED",
      reason: expect.stringMatching(/cannot query an index yet.*byStatus.*Wait until it is ACTIVE, and repeat/),
    });
  });

  test("stop the deployment if Lambda still rejects them after a while", async () => {
    expect(await checkWith(() => notAuthorised, ["v1-get-key"], { patienceSeconds: 1 })).toMatchObject({
      status: "FAILED",
      reason: expect.stringContaining('lambda responded with 403: {"Message":"not authorised"}'),
      lambda: { length: 2 },
    });
  });

  test.each(["UPDATE_ROLLBACK_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED"])(
    "are not made in the state %s, in which a failure would leave the stack between two releases",
    async (stackStatus) => {
      const { status, lambda } = await checkWith(() => notAuthorised, ["v1-get-key"], { stackStatus });
      expect({ status, calls: lambda.length }).toEqual({ status: "SUCCESS", calls: 0 });
    },
  );
});
