/*
 * `npm run measure` calls the example of every endpoint in a local run, with the bundles and threads of that run,
 * and writes the resources that a call used to measured.json.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { type LocalService, type Outcome, startLocalService } from "cdk-local-runner";
import type { Endpoint } from "../../lambdas/declaration/endpoint.ts";
import { type StoreName, tables } from "../../lambdas/resources/stores.ts";
import { synthesise } from "../../local/synthesise.ts";
import { type ExampleCaller, exampleCaller } from "../support/example-callers.ts";
import { type OperationExample, operationExamples } from "../support/examples.ts";
import { httpEvent } from "../support/http-event.ts";
import {
  accessTables,
  exampleStates,
  findSuccessState,
  type Records,
  type StateName,
  stateNames,
  type TableAccess,
  tableNameOf,
} from "../support/table-states.ts";
import { taggedResponse } from "../support/tagged-response.ts";
import { inMs } from "../support/tokens.ts";
import { assumptions } from "./estimate.ts";
import { type Measured, measuredFile } from "./measured.ts";

const calls = 300;

/** The records of a state and, for a paged response, a full page of additional records in each table. */
const recordsIn = (state: StateName, { operation }: OperationExample): Records => {
  const isPaged = Object.values(operation.endpoint.responses).some(({ paged }) => paged);
  if (!isPaged) return exampleStates[state];
  const more = Object.entries(exampleStates[state]).map(([store, records]) => {
    const { partitionKey } = tables[store as StoreName];
    const copies = records.flatMap((record) =>
      Array.from({ length: assumptions.keysOfPage }, (_, n) => ({
        ...withRandomSecrets(record),
        [partitionKey]: `${String(Object(record)[partitionKey])}-${n}`,
      })),
    );
    return [store, copies];
  });
  return Object.fromEntries(more);
};

/** The record with other texts in place of its long ones, which are secrets: their compression must not profit from copies. */
const withRandomSecrets = (record: object): object =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const isSecret = typeof value === "string" && value.length >= 40;
      return [name, isSecret ? randomBytes(value.length).toString("base64").slice(0, value.length) : value];
    }),
  );

type Headers = Record<string, string>;

/** Calls the function of an example and returns the outcome. */
const call = async (
  service: LocalService,
  { operation, request }: OperationExample,
  { text: token, from: sourceIp }: ExampleCaller,
  headers: Headers = {},
) => {
  const { functionName, path, endpoint } = operation;
  const body = request.form && new URLSearchParams(request.form).toString();
  const incoming = {
    method: request.method,
    path: decodeURIComponent(request.path),
    query: request.query,
    sourceIp,
    headers: {
      accept: "application/json",
      "x-token": token,
      ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
      ...lowerCased(headers),
    },
    ...(body !== undefined && { body }),
  };
  const route = () => ({
    functionName,
    routeKey: `${request.method} ${path}`,
    pathParameters: endpoint.example.parameters,
  });
  const outcome = await service.invoke(functionName, httpEvent(incoming, { route }).event);
  const response: Response = JSON.parse(outcome.payload);
  return { outcome, response, isSuccess: response.statusCode < 300 || response.statusCode === 304 };
};

/** As API Gateway passes them on. */
const lowerCased = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

interface Response {
  statusCode: number;
  headers?: Headers;
  body?: string;
  isBase64Encoded?: boolean;
}

/** As many bytes as HTTP/1.1 sends, without the status line. */
const sentBytes = ({ headers = {}, body = "", isBase64Encoded }: Response): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0) +
  Buffer.byteLength(body, isBase64Encoded ? "base64" : "utf8");

const measure = async (
  service: LocalService,
  access: TableAccess,
  example: OperationExample,
  headers: Headers = {},
): Promise<Measured["endpoints"][string]> => {
  const { functionName } = example.operation;
  let caller: ExampleCaller | undefined;
  const prepare = async (state: StateName) => {
    // A token that was used just now, so that no call records its use.
    caller = exampleCaller(example.operation.endpoint, { fields: { last_used_at: inMs(0) } });
    await access.fill(recordsIn(state, example));
    await access.put("tokens", caller.record);
  };
  const callPrepared = (own?: Headers) => {
    if (!caller) throw new Error(`${functionName} has no caller yet.`);
    return call(service, example, caller, own);
  };
  const succeeds = async () => (await callPrepared()).isSuccess;
  const state = await findSuccessState(access, { prepare, call: succeeds });
  if (!state)
    throw new Error(`The example of ${functionName} succeeds with none of the tables ${stateNames.join(", ")}.`);

  const outcomes: Outcome[] = [];
  const sizes: number[] = [];
  for (let n = 0; n < calls; n += 1) {
    // A read does not change the tables.
    if (n === 0 || example.request.method !== "GET") await prepare(state);
    const { outcome, response, isSuccess } = await callPrepared(headers);
    if (!isSuccess) throw new Error(`${functionName} answered ${outcome.payload}.`);
    outcomes.push(outcome);
    sizes.push(sentBytes(response));
  }
  const middle = (figures: number[]) => figures.toSorted((a, b) => a - b)[calls / 2] ?? 0;
  const median = (of: (outcome: Outcome) => number) => middle(outcomes.map(of));
  return {
    milliseconds: Number(median(({ durationMilliseconds }) => durationMilliseconds).toFixed(1)),
    logBytes: median(({ log }) => Buffer.byteLength(log)),
    answerBytes: middle(sizes),
  };
};

/** The headers that make the responses of an endpoint smaller. */
const headersThatSave = (endpoint: Endpoint): Headers[] => {
  const tagged = taggedResponse(endpoint);
  return [
    ...(tagged?.paged ? [{ "Accept-Encoding": "gzip" }, { "Accept-Encoding": "br" }] : []),
    ...(tagged ? [{ "If-None-Match": "*" }] : []),
  ];
};

const dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-measure-"));
const service = await startLocalService({ port: 0, dataDirectory, assembly: () => synthesise(dataDirectory) });
const client = new DynamoDB({
  endpoint: service.dynamodbUrl,
  region: "us-east-1",
  credentials: { accessKeyId: "measure", secretAccessKey: "measure" },
});
const access = accessTables(client, (store) => tableNameOf(service, store));
const endpoints: Measured["endpoints"] = {};
const variants: Measured["variants"] = [];
for (const example of operationExamples()) {
  const { functionName, endpoint } = example.operation;
  endpoints[functionName] = await measure(service, access, example);
  for (const headers of headersThatSave(endpoint)) {
    const header = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join(", ");
    variants.push({ endpoint: functionName, header, ...(await measure(service, access, example, headers)) });
  }
}
client.destroy();
await service.close();
await rm(dataDirectory, { recursive: true });

const machine = `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version}, embedded DynamoDB`;
await writeFile(measuredFile, `${JSON.stringify({ machine, endpoints, variants } satisfies Measured, null, 2)}\n`);
