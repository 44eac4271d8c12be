import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ObjectSchema } from "../../../lambdas/declaration/endpoint.ts";
import { notFoundErrorOf } from "../../../lambdas/declaration/errors.ts";
import { jsonBodyOf } from "../../../lambdas/declaration/json-body.ts";
import { jobsOf } from "../../../lambdas/declaration/operations.ts";
import type { Service } from "../../../lambdas/declaration/service.ts";
import { type AddressRequest, maxAttempts } from "../../../lambdas/domain/tokens/address-request.ts";
import { exampleJwt, unsignedJwt } from "../../../lambdas/domain/tokens/by-workload/read-jwt.ts";
import { trustIdOf } from "../../../lambdas/domain/tokens/trust.ts";
import { exampleCursor } from "../../../lambdas/dynamodb/changes-query.ts";
import { maxFormBytes } from "../../../lambdas/middlewares/read-form.ts";
import { invalidParameter } from "../../../openapi/describe-errors.ts";
import { causesIn } from "../support/causes.ts";
import { type ChangedRequest, recordsFor, type ServiceRequests, sendExample } from "../support/changed-request.ts";
import { mediaTypeOf } from "../support/decode-body.ts";
import {
  type CallerFields,
  type Confirmation,
  confirmationsOf,
  type ExampleCaller,
  exampleCaller,
} from "../support/example-callers.ts";
import { type OperationExample, ownOperationExamples } from "../support/examples.ts";
import { startMemoryDatabase } from "../support/memory-database.ts";
import {
  type Answer,
  deleteTable,
  type RunOptions,
  startTestService,
  type TestService,
  tablesOf,
} from "../support/running-service.ts";
import { recordsIn, type StateName, statesOf, withShard } from "../support/table-states.ts";
import { absentId, decided, hourMs, inMs, newInvitation, newToken, requestField } from "../support/tokens.ts";
import {
  type Operation as DescribedOperation,
  type Description,
  descriptionOf,
  operationsIn,
  resolve,
} from "./description.ts";

/** The address of a caller's token, the address that examples with another address come from, and an unknown address. */
const addresses = { ip: "127.0.0.1", otherIp: "127.0.0.2", strangeIp: "127.0.0.9" };

const callerOf = (
  { operation }: OperationExample,
  { confirmation, fields = {} }: { confirmation?: Confirmation | undefined; fields?: CallerFields } = {},
): ExampleCaller => exampleCaller(operation.endpoint, { ...addresses, confirmation, fields });

interface StateAnswer {
  state: StateName | "shared";
  status: number;
  body: unknown;
}

const answerIn = (state: StateAnswer["state"], { status, headers, text }: Answer): StateAnswer => {
  const isJson = mediaTypeOf(headers["content-type"]) === "application/json";
  return { state, status, body: text === "" ? undefined : isJson ? JSON.parse(text) : text };
};

/** Leaves out the body of a success, which says nothing about why another response is missing. */
const shortened = ({ body, ...answer }: StateAnswer) => (answer.status < 400 ? answer : { ...answer, body });

/** The services that requests are sent to. */
interface Services {
  declared: Service;
  running: TestService;
  /** Has no token table, which causes an unexpected failure. */
  broken: TestService;
  /** Cannot reach its database. */
  cutOff: TestService;
}

type Producer = (services: Services, example: OperationExample) => Promise<Answer>;

/** Sends the example as a caller with another record. */
const callAs =
  (fields: (example: OperationExample) => CallerFields): Producer =>
  (services, example) =>
    sendStored(services, example, callerOf(example, { confirmation: "unconfirmed", fields: fields(example) }));

const sendStored = async (
  { declared, running }: Services,
  example: OperationExample,
  caller: ExampleCaller,
  change: ChangedRequest = {},
): Promise<Answer> => {
  const tables = tablesOf(running, declared.tables);
  if (!change.state && !change.records) await tables.put("tokens", withShard(caller.record));
  else await tables.fill(recordsFor(change, { tables: declared.tables, caller: caller.record }));
  return sendExample(running, example, caller, change);
};

/** Sends the example with a credential of the kind that other endpoints take. */
const callWithOtherKind: Producer = ({ running }, example) => {
  const { credential } = example.operation.endpoint;
  const { text } = credential === "invitation" ? newToken() : newInvitation();
  return sendExample(running, example, { ...callerOf(example), text });
};

/**
 * Repeats the example with values that share an allowance until the call exceeds the limit. It needs several values, because some
 * work only once. The third call exceeds the limit at the latest, even if a minute ends in the meantime.
 */
const callBeyondLimit: Producer = async (services, example) => {
  const fields = { ip: addresses.ip, rate_limit: 1, limit_id: absentId() };
  for (let calls = 1; ; calls += 1) {
    const answer = await sendStored(services, example, callerOf(example, { fields }), { from: addresses.ip });
    if (answer.status === 429 || calls === 3) return answer;
  }
};

/** Sends the example with invalid values for all fields. Keeps the path parameters if invalid ones lead to the endpoint's 404. */
const callWithInvalidFields: Producer = (services, example) => {
  const { parameters, query, form, json, ...endpoint } = example.operation.endpoint;
  return sendStored(services, example, callerOf(example), {
    ...(!notFoundErrorOf(endpoint) && { parameters: eachField(parameters, invalidParameter) }),
    query: eachField(query, "!"),
    ...(form && { form: eachField(form, "") }),
    ...(json && { json: eachField(json, "") }),
  });
};

/** Sends the example with a string as its body. */
const callWithBody =
  (textFor: (body: { isJson: boolean; maxBytes: number }) => string): Producer =>
  (services, example) => {
    const { endpoint } = example.operation;
    const { maxBytes } = endpoint.json ? jsonBodyOf(endpoint) : { maxBytes: maxFormBytes };
    const text = textFor({ isJson: endpoint.json !== undefined, maxBytes });
    return sendStored(services, example, callerOf(example), endpoint.json ? { json: text } : { form: text });
  };

const eachField = (schema: ObjectSchema | undefined, value: string): Record<string, string> =>
  Object.fromEntries(Object.keys(schema?._zod.def.shape ?? {}).map((name) => [name, value]));

const expired = () => ({ expires_at: inMs(-1) });
const revoked = () => ({ revoked_at: inMs(-1), revoked_by: "invoke:revoke-1" });
const rotated = () => ({ rotated_at: inMs(-1), rotated_by: "invoke:rotate-1", successor_id: absentId() });
const request = (fields: (example: OperationExample) => Partial<AddressRequest>) => (example: OperationExample) => ({
  request: requestField(fields(example)),
});

/** Sends the example from an address that the caller's token or trust does not name. */
const callFromElsewhere: Producer = (services, example) =>
  example.operation.endpoint.credential === "workload"
    ? sendStored(services, example, callerOf(example, { fields: { ip: addresses.otherIp } }))
    : sendStored(services, example, callerOf(example), { from: addresses.strangeIp });

const exchangeJwt =
  (jwtOf: (services: Services) => Promise<string>, fields?: CallerFields): Producer =>
  async (services, example) =>
    sendStored(services, example, callerOf(example, { ...(fields && { fields }) }), {
      form: { ...example.request.form, subject_token: await jwtOf(services) },
    });

/** Exchanges a JWT, uses the token, and exchanges the JWT again. */
const exchangeAgain: Producer = async (services, example) => {
  const { running } = services;
  const jwt = await running.workloadJwt();
  const exchange = exchangeJwt(async () => jwt);
  const { token } = (await exchange(services, example)).json() as { token: string };
  await running.call("GET", "/api/v1/token", { token });
  return exchange(services, example);
};

/** Exchanges JWTs with the same unknown key, for which the service asks the issuer once a minute. */
const exchangeUnknownKey: Producer = async (services, example) => {
  const exchange = exchangeJwt(async () => exampleJwt);
  await exchange(services, example);
  return exchange(services, example);
};

/** An issuer whose name cannot be resolved, because it is too long. */
const unreachable = { iss: `https://${"x".repeat(64)}.example`, sub: "x" };

/** The responses that depend only on the caller and the request, by the status and name of the described example. */
export const sharedResponses: Readonly<Record<string, ChangedRequest | Producer>> = {
  "302 json_not_accepted": { headers: { accept: "text/html" } },
  "307 json_not_accepted": { headers: { accept: "*/*" } },
  "304": { state: "altered", headers: { "if-none-match": "*" } },
  "400 path_changed": { headers: { "x-sent-path": "/api/v1/elsewhere" } },
  "400 malformed_form": { form: "%" },
  "400 json_instead_of_form": { form: "{}" },
  "400 malformed_json": { json: "{" },
  "401 token_missing": { token: null },
  "401 token_invalid": { token: "itk_nonsense" },
  "401 wrong_credential": callWithOtherKind,
  "401 token_expired": callAs(expired),
  "401 token_revoked": callAs(revoked),
  "401 invitation_expired": callAs(expired),
  "401 invitation_revoked": callAs(revoked),
  "401 invitation_used": callAs(() => ({ redeemed_at: inMs(-hourMs) })),
  "401 jwt_invalid": exchangeJwt(async () => unsignedJwt({})),
  "403 ip_not_allowed": callFromElsewhere,
  "403 jwt_refused": exchangeJwt(({ running }) => running.workloadJwt("repo:acme/shop:ref:refs/heads/next")),
  "409 jwt_used": exchangeAgain,
  "403 request_rejected": callAs(request((example) => ({ ip: callerOf(example).from, ...decided("rejected") }))),
  "409 token_already_rotated": callAs(rotated),
  "409 move_not_needed": { from: addresses.ip },
  "410 cursor_expired": { query: { cursor: exampleCursor } },
  "412 precondition_failed": { state: "altered", headers: { "if-match": '"another"' } },
  "413 content_too_large": callWithBody(({ maxBytes }) => "x".repeat(maxBytes + 1)),
  "415 unsupported_media_type": { headers: { "content-type": "text/plain" } },
  "422 missing": callWithBody(({ isJson }) => (isJson ? "{}" : "")),
  "422 invalid": callWithInvalidFields,
  "429 jwt_key_unknown": exchangeUnknownKey,
  "429 rate_limited": callBeyondLimit,
  "429 too_many_requests": callAs(request(() => ({ ip: addresses.strangeIp, attempts: maxAttempts }))),
  "500 internal_error": ({ broken }, example) => sendExample(broken, example, callerOf(example)),
  "503 issuer_unreachable": exchangeJwt(async () => unsignedJwt(unreachable), {
    token_id: trustIdOf(unreachable.iss, unreachable.sub),
    issuer: unreachable.iss,
    subject: unreachable.sub,
  }),
  "503 unavailable": ({ cutOff }, example) => sendExample(cutOff, example, callerOf(example)),
};

interface DescribedResponse {
  /** Such as `422 taken`. */
  name: string;
  status: number;
  /** The body of an error, as the description shows it. `undefined` for a success, because each call checks its schema. */
  body: unknown;
}

export const responsesOf = (description: Description, { responses }: DescribedOperation): DescribedResponse[] =>
  Object.entries(responses).flatMap(([status, response]): DescribedResponse[] => {
    const { examples } = resolve(description, response).content?.["application/json"] ?? {};
    if (!examples) return [{ name: status, status: Number(status), body: undefined }];
    return Object.entries(examples).map(([name, { value }]) => ({
      name: `${status} ${name}`,
      status: Number(status),
      body: value,
    }));
  });

/** Removes addresses and ids from a body, because they differ each time. */
const lasting = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body)
      .replace(/\b\d+\.\d+\.\d+\.\d+\b/g, "an address")
      .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, "an id"),
  );

const isDescribedBy = ({ status, body }: DescribedResponse, answer: StateAnswer): boolean =>
  answer.status === status &&
  (body === undefined || JSON.stringify(lasting(answer.body)) === JSON.stringify(lasting(body)));

const advice =
  'Let the example refer to the example records of the tables, add a request that gets the response to the "requests" of the test, or do not declare the response.';

interface DocumentedResponsesOptions {
  assembly: () => Promise<string>;
  requests?: ServiceRequests;
  /** A running service that other tests also use. */
  running?: () => Promise<TestService>;
}

/**
 * Tests that a service gives every response that its description lists. The shared responses are produced above. A response that an
 * endpoint declares itself must result from its example in one of the table states, or from one of the `requests`.
 */
export const testDocumentedResponses = (
  declared: Service,
  { assembly, requests = {}, running }: DocumentedResponsesOptions,
): void => {
  const examples = ownOperationExamples(declared);
  const description = descriptionOf(declared);
  const described = new Map(
    operationsIn(description).map((operation) => [operation.operationId, responsesOf(description, operation)] as const),
  );
  /** The responses of each operation to its example in each state of the tables, by operation id. */
  const stateAnswers = new Map<string, StateAnswer[]>();
  let services: Services;
  const closers: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const assemblyDirectory = await assembly();
    const start = async (options: RunOptions = {}): Promise<TestService> => {
      const one = await startTestService(declared, { ...options, assemblyDirectory });
      closers.push(one.close);
      return one;
    };
    const database = await startMemoryDatabase();
    const [own, broken, cutOff] = await Promise.all([
      (running ?? start)(),
      start(),
      start({ externalDatabase: database.access }),
    ]);
    database.close();
    await deleteTable(broken, "tokens");
    services = { declared, running: own, broken, cutOff };
    await callInEachState();
  });
  afterAll(() => Promise.all(closers.map((close) => close())));

  const callInEachState = async (): Promise<void> => {
    const tables = tablesOf(services.running, declared.tables);
    for (const example of examples) {
      const answers: StateAnswer[] = [];
      for (const state of statesOf(declared.tables)) {
        for (const confirmation of confirmationsOf(example.operation.endpoint)) {
          const caller = callerOf(example, { confirmation });
          await tables.fill(recordsIn(state, declared.tables, caller.record));
          answers.push(answerIn(state, await sendExample(services.running, example, caller)));
        }
      }
      stateAnswers.set(example.operation.functionName, answers);
    }
  };

  const answersTo = async (example: OperationExample, response: string): Promise<StateAnswer[]> => {
    const { functionName } = example.operation;
    const request = requests[functionName]?.[response] ?? sharedResponses[response];
    if (!request) return stateAnswers.get(functionName) ?? [];
    const isData = typeof request === "object";
    const caller = callerOf(example, { fields: isData ? { client: request.client } : {} });
    const answer = isData ? sendStored(services, example, caller, request) : request(services, example);
    return [answerIn("shared", await answer)];
  };

  describe.each(examples)("$operation.functionName returns the described response", (example) => {
    const { functionName } = example.operation;

    test("and the operation itself is described", () => {
      expect(described.get(functionName)).toBeDefined();
    });

    test.each(described.get(functionName) ?? [])("$name", async (response) => {
      const answers = await answersTo(example, response.name);
      if (answers.some((answer) => isDescribedBy(response, answer))) return;
      const causes = await causesIn(services.running.logged(), await assembly(), functionName);
      expect.fail(
        `The example of ${functionName} never gets the response "${response.name}", only ${JSON.stringify(answers.map(shortened))}. ${causes || advice}`,
      );
    });
  });

  test("the responses to additional requests are described", () => {
    const names = [...described].flatMap(([id, responses]) => responses.map(({ name }) => `${id} ${name}`));
    const requested = Object.entries(requests).flatMap(([id, all]) => Object.keys(all).map((name) => `${id} ${name}`));
    const ofJobs = jobsOf(declared).map(({ functionName }) => `${functionName} `);
    expect(
      requested.filter((name) => !names.includes(name) && !ofJobs.some((start) => name.startsWith(start))),
    ).toEqual([]);
  });
};
