import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { invalidParameter } from "../../infra/build/description/describe-errors.ts";
import { api } from "../../lambdas/api.ts";
import { notFoundErrorOf } from "../../lambdas/declaration/errors.ts";
import { type AddressRequest, maxAttempts } from "../../lambdas/resources/tokens/address-request.ts";
import type { TokenRecord } from "../../lambdas/resources/tokens/token-store.ts";
import {
  type Operation as DescribedOperation,
  descriptionOf,
  operationsIn,
  resolve,
} from "../../testing/contract/description.ts";
import {
  type Confirmation,
  confirmationsOf,
  type ExampleCaller,
  exampleCaller,
} from "../../testing/support/example-callers.ts";
import { fillPath, type OperationExample, operationExamples, targetOf } from "../../testing/support/examples.ts";
import { startMemoryDatabase } from "../../testing/support/memory-database.ts";
import { exampleStates, type StateName, stateNames } from "../../testing/support/table-states.ts";
import {
  absentId,
  decided,
  hourMs,
  inMs,
  newInvitation,
  newToken,
  requestField,
} from "../../testing/support/tokens.ts";
import {
  type Answer,
  type CallOptions,
  deleteTable,
  type OwnService,
  sharedService,
  startService,
  type TestService,
  tablesOf,
} from "../support/service.ts";

/*
 * The service gives every response that the description lists. The shared ones are produced below; those that an endpoint
 * declares itself must result from its example in one of the states of the tables.
 */

let service: TestService;
/** A service without a token table: an unexpected failure. */
let broken: OwnService;
/** A service that cannot reach its database. */
let cutOff: OwnService;

beforeAll(async () => {
  const database = await startMemoryDatabase();
  [service, broken, cutOff] = await Promise.all([
    sharedService(),
    startService(),
    startService({ externalDatabase: database.access }),
  ]);
  database.close();
  await deleteTable(broken, "tokens");
  await callInEachState();
});
afterAll(() => Promise.all([broken, cutOff].map((one) => one.close())));

/** The address of a caller's token, the one that an example with another address comes from, and one that nobody knows. */
const addresses = { ip: "127.0.0.1", otherIp: "127.0.0.2", strangeIp: "127.0.0.9" };

type CallerFields = Partial<TokenRecord>;

const callerOf = (
  { operation }: OperationExample,
  { confirmation, fields = {} }: { confirmation?: Confirmation | undefined; fields?: CallerFields } = {},
): ExampleCaller => exampleCaller(operation.endpoint, { ...addresses, confirmation, fields });

const send = (
  on: TestService,
  { request }: OperationExample,
  { text: token, from }: ExampleCaller,
  change: CallOptions = {},
): Promise<Answer> =>
  on.call(request.method, targetOf(request), { token, from, ...(request.form && { form: request.form }), ...change });

interface StateAnswer {
  state: StateName | "shared";
  status: number;
  body: unknown;
}

const answerIn = (state: StateAnswer["state"], { status, text }: Answer): StateAnswer => ({
  ...{ state, status },
  body: text === "" ? undefined : JSON.parse(text),
});

/** The responses of each operation to its example in each state of the tables, by operation id. */
const stateAnswers = new Map<string, StateAnswer[]>();

const callInEachState = async (): Promise<void> => {
  const tables = tablesOf(service);
  for (const example of operationExamples()) {
    const answers: StateAnswer[] = [];
    for (const state of stateNames) {
      for (const confirmation of confirmationsOf(example.operation.endpoint)) {
        const caller = callerOf(example, { confirmation });
        const records = exampleStates[state];
        await tables.fill({ ...records, tokens: [...records.tokens, caller.record] });
        answers.push(answerIn(state, await send(service, example, caller)));
      }
    }
    stateAnswers.set(example.operation.functionName, answers);
  }
};

type Producer = (example: OperationExample) => Promise<Answer>;

/** The example with one change. */
const call =
  (change: CallOptions = {}): Producer =>
  (example) =>
    sendStored(example, callerOf(example), change);

/** The example of a caller with another record. */
const callAs =
  (fields: (example: OperationExample) => CallerFields, change: CallOptions = {}): Producer =>
  (example) =>
    sendStored(example, callerOf(example, { confirmation: "unconfirmed", fields: fields(example) }), change);

const sendStored = async (example: OperationExample, caller: ExampleCaller, change: CallOptions): Promise<Answer> => {
  await tablesOf(service).put("tokens", caller.record);
  return send(service, example, caller, change);
};

/** The example with one change, when the records exist that it refers to. */
const callWithRecords =
  (change: CallOptions): Producer =>
  async (example) => {
    const caller = callerOf(example);
    await tablesOf(service).fill({ ...exampleStates.altered, tokens: [caller.record] });
    return send(service, example, caller, change);
  };

/** The example with the credential that other endpoints take. */
const callWithOtherKind: Producer = (example) => {
  const { credential } = example.operation.endpoint;
  const { text } = credential === "invitation" ? newToken() : newInvitation();
  return send(service, example, { ...callerOf(example), text });
};

/**
 * Makes the call of the example with texts that share an allowance, because some work only once, until it exceeds the limit: the third
 * time at the latest, if a minute ends in the meantime.
 */
const callBeyondLimit: Producer = async (example) => {
  const fields = { ip: addresses.ip, rate_limit: 1, limit_id: absentId() };
  for (let calls = 1; ; calls += 1) {
    const answer = await sendStored(example, callerOf(example, { fields }), { from: addresses.ip });
    if (answer.status === 429 || calls === 3) return answer;
  }
};

/** The example with invalid values for all fields, except that an invalid path may be the endpoint's 404. */
const callWithInvalidFields: Producer = ({ operation, request }) => {
  const { parameters, query, form } = operation.endpoint;
  const isNotFound = notFoundErrorOf(operation.endpoint) !== undefined;
  const path = isNotFound ? request.path : fillPath(operation.path, eachField(parameters, invalidParameter));
  const invalidQuery = new URLSearchParams(eachField(query, "!")).toString();
  const change = form ? { form: eachField(form, "") } : {};
  return call(change)({ operation, request: { ...request, path, query: invalidQuery } });
};

const eachField = (schema: { shape: object } | undefined, value: string): Record<string, string> =>
  Object.fromEntries(Object.keys(schema?.shape ?? {}).map((name) => [name, value]));

const expired = () => ({ expires_at: inMs(-1) });
const revoked = () => ({ revoked_at: inMs(-1), revoked_by: "invoke:revoke-1" });
const rotated = () => ({ rotated_at: inMs(-1), rotated_by: "invoke:rotate-1", successor_id: absentId() });
const request = (fields: (example: OperationExample) => Partial<AddressRequest>) => (example: OperationExample) => ({
  request: requestField(fields(example)),
});

/** The responses that depend on the caller and on the request alone, by status and name of the described example. */
const sharedResponses: Record<string, Producer> = {
  "302": call({ headers: { accept: "text/html" } }),
  "304": callWithRecords({ headers: { "if-none-match": "*" } }),
  "400 path_changed": call({ headers: { "x-sent-path": "/api/v1/elsewhere" } }),
  "400 malformed_form": call({ form: "%" }),
  "401 token_missing": call({ token: null }),
  "401 token_invalid": call({ token: "itk_nonsense" }),
  "401 wrong_credential": callWithOtherKind,
  "401 token_expired": callAs(expired),
  "401 token_revoked": callAs(revoked),
  "401 invitation_expired": callAs(expired),
  "401 invitation_revoked": callAs(revoked),
  "401 invitation_used": callAs(() => ({ redeemed_at: inMs(-hourMs) })),
  "403 ip_not_allowed": call({ from: addresses.strangeIp }),
  "403 request_rejected": callAs(request((example) => ({ ip: callerOf(example).from, ...decided("rejected") }))),
  "409 token_already_rotated": callAs(rotated),
  "409 move_not_needed": call({ from: addresses.ip }),
  "412 precondition_failed": callWithRecords({ headers: { "if-match": '"another"' } }),
  "413 content_too_large": call({ form: "x".repeat(16 * 1024 + 1) }),
  "415 unsupported_media_type": call({ headers: { "content-type": "application/json" } }),
  "422 missing": call({ form: {} }),
  "422 invalid": callWithInvalidFields,
  "429 rate_limited": callBeyondLimit,
  "429 too_many_requests": callAs(request(() => ({ ip: addresses.strangeIp, attempts: maxAttempts }))),
  "500 internal_error": (example) => send(broken, example, callerOf(example)),
  "503 unavailable": (example) => send(cutOff, example, callerOf(example)),
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

/** A body without its addresses and ids, which differ each time. */
const lasting = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body)
      .replace(/\b\d+\.\d+\.\d+\.\d+\b/g, "an address")
      .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, "an id"),
  );

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
    const answers = produce ? [answerIn("shared", await produce(example))] : (stateAnswers.get(functionName) ?? []);
    expect(
      answers.some((answer) => isDescribedBy(response, answer)),
      `The example of ${functionName} never gets the response "${response.name}", only ${JSON.stringify(answers)}. Let the example refer to the example records of the tables, add a request that gets the response to sharedResponses in this file, or do not declare the response.`,
    ).toBe(true);
  });
});

test("every shared response that this file produces is described", () => {
  const described = [...describedOperations.values()].flatMap(responsesOf).map(({ name }) => name);
  expect(described).toEqual(expect.arrayContaining(Object.keys(sharedResponses)));
});
