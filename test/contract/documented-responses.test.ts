import { DeleteTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { descriptionOf, type Operation, operationsIn, resolve } from "../../tools/support/contract/description.ts";
import { type Answer, type CallOptions, startService, type TestService } from "../support/service.ts";

/*
 * Each response that the description lists, and each example of it, is an answer that the service gives. A response that is
 * new in the description needs a producer here; one that no service can give should not be described.
 */

let service: TestService;
/** A service whose token table is gone: what nobody foresaw. */
let broken: TestService;
/** A service whose database is out of reach. */
let cutOff: TestService;

beforeAll(async () => {
  const database = await startService();
  const externalDatabase = { endpoint: database.dynamodbUrl, region: "us-east-1" };
  [service, broken, cutOff] = await Promise.all([startService(), startService(), startService({ externalDatabase })]);
  await database.close();
  await deleteTokenTable(broken);
});
afterAll(() => Promise.all([service, broken, cutOff].map((one) => one.close())));

const deleteTokenTable = async ({ dynamodbUrl, tableNames }: TestService): Promise<void> => {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = new DynamoDBClient({ endpoint: dynamodbUrl, region: "us-east-1", credentials });
  await client.send(new DeleteTableCommand({ TableName: tableNames.find((name) => /token/i.test(name)) }));
  client.destroy();
};

type Producer = (operation: Operation) => Promise<Answer>;

/** The call that the description shows, with one thing changed. */
const call =
  (change: CallOptions = {}, on = () => service): Producer =>
  ({ method, path, form }) =>
    on().call(method, path.replace("{key_id}", keyId), { ...(form && { form }), ...change });

/** The same call with a token that has just ended. */
const callAfter =
  (action: object): Producer =>
  async (operation) => {
    const token = await service.issueToken();
    await service.admin({ ...action, token_id: token.split("_")[1] });
    return call({ token })(operation);
  };

/** The same call until it is one too many: the third at the latest, if a minute ends meanwhile. */
const callBeyondLimit: Producer = async (operation) => {
  const token = await service.issueToken("127.0.0.1", { rate_limit: 1 });
  const send = call({ token });
  for (let calls = 1; ; calls += 1) {
    const answer = await send(operation);
    if (answer.status === 429 || calls === 3) return answer;
  }
};

const callWithoutKey: Producer = async (operation) => {
  await service.call("DELETE", `/api/v1/key/${keyId}`);
  return call()(operation);
};

const callWithQuery =
  (query: string): Producer =>
  ({ method, path }) =>
    service.call(method, `${path}?${query}`);

/** The key of the description's examples, which is there before each call. */
const keyId = "1234567";

/** What brings a response about: by its status and, where it has named examples, by their names. */
const ofAnyOperation: Record<string, Producer> = {
  "302": call({ headers: { accept: "text/html" } }),
  "400 malformed_form": call({ form: "%" }),
  "401 token_missing": call({ token: null }),
  "401 token_invalid": call({ token: "itk_nonsense" }),
  "401 token_expired": callAfter({ action: "rotate", grace_seconds: 0 }),
  "401 token_revoked": callAfter({ action: "revoke" }),
  "403 ip_not_allowed": call({ from: "127.0.0.9" }),
  "404 key_not_found": callWithoutKey,
  "413 content_too_large": call({ form: "x".repeat(16 * 1024 + 1) }),
  "415 unsupported_media_type": call({ headers: { "content-type": "application/json" } }),
  "422 missing": call({ form: {} }),
  "429 rate_limited": callBeyondLimit,
  "500 internal_error": call({}, () => broken),
  "503 unavailable": call({}, () => cutOff),
};

const ofOperation: Record<string, Record<string, Producer>> = {
  "v1-create-key": {
    "200": call(),
    "201": callWithoutKey,
    "422 invalid": call({ form: { key_id: "", v_code: "" } }),
    "422 taken": call({ form: { key_id: keyId, v_code: "x".repeat(64) } }),
  },
  "v1-delete-key": { "204": call() },
  "v1-get-key": { "200": call() },
  "v1-get-token": { "200": call() },
  "v1-list-keys": { "200": call(), "422 invalid": callWithQuery("limit=!&cursor=!") },
  "v1-replace-key": { "200": call(), "422 invalid": call({ form: { v_code: "" } }) },
};

const description = descriptionOf(api);
const operations = operationsIn(description);

interface Case {
  /** `422 taken` */
  name: string;
  status: string;
  /** The body that the description shows; `undefined` where there is none. */
  example: unknown;
}

const casesOf = ({ responses }: Operation): Case[] =>
  Object.entries(responses).flatMap(([status, response]): Case[] => {
    const { example, examples } = resolve(description, response).content?.["application/json"] ?? {};
    if (!examples) return [{ name: status, status, example }];
    return Object.entries(examples).map(([name, { value }]) => ({ name: `${status} ${name}`, status, example: value }));
  });

/** A body without what is another each time: times, ids of tokens, addresses. */
const lasting = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time")
      .replace(/\b[0-9A-Z]{26}\b/g, "an id")
      .replace(/\b\d+\.\d+\.\d+\.\d+\b/g, "an address"),
  );

beforeEach(async () => {
  const { form } = operations.find(({ operationId }) => operationId === "v1-create-key") ?? {};
  await service.call("POST", "/api/v1/key", form ? { form } : {});
});

describe.each(operations)("$operationId gives the answer that is described", (operation) => {
  test.each(casesOf(operation))("$name", async ({ name, status, example }) => {
    const produce = ofOperation[operation.operationId]?.[name] ?? ofAnyOperation[name];
    if (!produce) throw new Error(`Nothing here brings the response "${name}" of ${operation.operationId} about.`);

    const answer = await produce(operation);

    expect(answer.status).toBe(Number(status));
    if (example === undefined) expect(answer.text).toBe("");
    else expect(lasting(answer.json())).toEqual(lasting(example));
  });
});

test("nothing is brought about that is not described", () => {
  const described = Object.fromEntries(
    operations.map((operation) => [operation.operationId, casesOf(operation).map(({ name }) => name)]),
  );

  for (const [operationId, producers] of Object.entries(ofOperation)) {
    expect(described[operationId]).toEqual(expect.arrayContaining(Object.keys(producers)));
  }
  expect(Object.values(described).flat()).toEqual(expect.arrayContaining(Object.keys(ofAnyOperation)));
});
