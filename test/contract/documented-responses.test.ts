import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import {
  type Operation as DescribedOperation,
  descriptionOf,
  operationsIn,
  resolve,
} from "../../tools/support/contract/description.ts";
import { type OperationExample, operationExamples, targetOf } from "../../tools/support/examples.ts";
import { startMemoryDatabase } from "../../tools/support/memory-database.ts";
import { exampleStates, type StateName, stateNames } from "../../tools/support/table-states.ts";
import { newToken } from "../../tools/support/tokens.ts";
import { type Answer, type CallOptions, startService, type TestService } from "../support/service.ts";
import { deleteTable, tablesOf } from "../support/tables.ts";

/*
 * The service gives every response that the description lists. The shared ones are produced below; those that an endpoint
 * declares itself must result from its example in one of the states of the tables.
 */

let service: TestService;
/** A service without a token table: an unexpected failure. */
let broken: TestService;
/** A service that cannot reach its database. */
let cutOff: TestService;

beforeAll(async () => {
  const database = await startMemoryDatabase();
  [service, broken, cutOff] = await Promise.all([
    startService(),
    startService(),
    startService({ externalDatabase: database.access }),
  ]);
  database.close();
  await deleteTable(broken, "tokens");
  await callInEachState();
});
afterAll(() => Promise.all([service, broken, cutOff].map((one) => one.close())));

const send = (on: TestService, { request }: OperationExample, options: CallOptions): Promise<Answer> =>
  on.call(request.method, targetOf(request), { ...(request.form && { form: request.form }), ...options });

interface StateAnswer {
  state: StateName;
  status: number;
  body: unknown;
}

/** The answer of each operation to its example in each state of the tables, by operation id. */
const stateAnswers = new Map<string, StateAnswer[]>();

const callInEachState = async (): Promise<void> => {
  const tables = tablesOf(service);
  for (const example of operationExamples()) {
    const answers: StateAnswer[] = [];
    for (const state of stateNames) {
      const { text: token, record } = newToken({ ip: "127.0.0.1" });
      await tables.fill({ ...exampleStates[state], tokens: [...exampleStates[state].tokens, record] });
      const { status, text } = await send(service, example, { token });
      answers.push({ state, status, body: text === "" ? undefined : JSON.parse(text) });
    }
    stateAnswers.set(example.operation.functionName, answers);
  }
};

type Producer = (example: OperationExample) => Promise<Answer>;

/** The example with one change. */
const call =
  (change: CallOptions = {}): Producer =>
  async (example) =>
    send(service, example, { token: await service.issueToken(), ...change });

/** The example with one change, when the records exist that it refers to. */
const callWithRecords =
  (change: CallOptions): Producer =>
  async (example) => {
    const { text: token, record } = newToken({ ip: "127.0.0.1" });
    await tablesOf(service).fill({ ...exampleStates.altered, tokens: [record] });
    return send(service, example, { token, ...change });
  };

/** The example with a token that has just expired. */
const callAfter =
  (action: object): Producer =>
  async (example) => {
    const token = await service.issueToken();
    await service.admin({ ...action, token_id: token.split("_")[1] });
    return send(service, example, { token });
  };

/** Repeats the example until it exceeds the limit: the third time at the latest, if a minute ends in the meantime. */
const callBeyondLimit: Producer = async (example) => {
  const token = await service.issueToken("127.0.0.1", { rate_limit: 1 });
  for (let calls = 1; ; calls += 1) {
    const answer = await send(service, example, { token });
    if (answer.status === 429 || calls === 3) return answer;
  }
};

/** The example with a form and a query whose fields are all invalid. */
const callWithInvalidFields: Producer = ({ operation, request }) => {
  const { query, form } = operation.endpoint;
  const invalidQuery = new URLSearchParams(eachField(query, "!")).toString();
  const change = form ? { form: eachField(form, "") } : {};
  return call(change)({ operation, request: { ...request, query: invalidQuery } });
};

const eachField = (schema: { shape: object } | undefined, value: string): Record<string, string> =>
  Object.fromEntries(Object.keys(schema?.shape ?? {}).map((name) => [name, value]));

/** The responses that do not depend on the endpoint, by status and name of the described example. */
const sharedResponses: Record<string, Producer> = {
  "302": call({ headers: { accept: "text/html" } }),
  "304": callWithRecords({ headers: { "if-none-match": "*" } }),
  "400 path_changed": call({ headers: { "x-sent-path": "/api/v1/elsewhere" } }),
  "400 malformed_form": call({ form: "%" }),
  "401 token_missing": call({ token: null }),
  "401 token_invalid": call({ token: "itk_nonsense" }),
  "401 token_expired": callAfter({ action: "rotate", grace_seconds: 0 }),
  "401 token_revoked": callAfter({ action: "revoke" }),
  "403 ip_not_allowed": call({ from: "127.0.0.9" }),
  "412 precondition_failed": callWithRecords({ headers: { "if-match": '"another"' } }),
  "413 content_too_large": call({ form: "x".repeat(16 * 1024 + 1) }),
  "415 unsupported_media_type": call({ headers: { "content-type": "application/json" } }),
  "422 missing": call({ form: {} }),
  "422 invalid": callWithInvalidFields,
  "429 rate_limited": callBeyondLimit,
  "500 internal_error": (example) => send(broken, example, {}),
  "503 unavailable": (example) => send(cutOff, example, {}),
};

const description = descriptionOf(api);
const describedOperations = new Map(
  operationsIn(description).map((operation) => [operation.operationId, operation] as const),
);

interface DescribedResponse {
  /** `422 taken` */
  name: string;
  status: number;
  /** The body of an error, as the description shows it; `undefined` for a success, whose schema is checked by each call. */
  body: unknown;
}

const responsesOf = ({ responses }: DescribedOperation): DescribedResponse[] =>
  Object.entries(responses).flatMap(([status, response]): DescribedResponse[] => {
    const { examples } = resolve(description, response).content?.["application/json"] ?? {};
    if (!examples) return [{ name: status, status: Number(status), body: undefined }];
    return Object.entries(examples).map(([name, { value }]) => ({
      name: `${status} ${name}`,
      status: Number(status),
      body: value,
    }));
  });

/** A body without its addresses, which differ each time. */
const lasting = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body).replace(/\b\d+\.\d+\.\d+\.\d+\b/g, "an address"));

const isDescribedBy = ({ status, body }: DescribedResponse, answer: StateAnswer): boolean =>
  answer.status === status &&
  (body === undefined || JSON.stringify(lasting(answer.body)) === JSON.stringify(lasting(body)));

describe.each(operationExamples())("$operation.functionName gives the response that is described", (example) => {
  const { functionName } = example.operation;
  const described = describedOperations.get(functionName);

  test("and the operation itself is described", () => {
    expect(described).toBeDefined();
  });

  test.each(described ? responsesOf(described) : [])("$name", async (response) => {
    const produce = sharedResponses[response.name];
    if (produce) {
      const answer = await produce(example);
      expect(answer.status).toBe(response.status);
      if (response.body === undefined) expect(answer.text).toBe("");
      else expect(lasting(answer.json())).toEqual(lasting(response.body));
      return;
    }
    const answers = stateAnswers.get(functionName) ?? [];
    expect(
      answers.some((answer) => isDescribedBy(response, answer)),
      `The example of ${functionName} never gets the response "${response.name}". It was called with the tables ${answers
        .map(({ state, status }) => `${state}: ${status}`)
        .join(", ")}. Let the example refer to the example records of the tables, or do not declare the response.`,
    ).toBe(true);
  });
});

test("every shared response that this file produces is described", () => {
  const described = [...describedOperations.values()].flatMap(responsesOf).map(({ name }) => name);
  expect(described).toEqual(expect.arrayContaining(Object.keys(sharedResponses)));
});
