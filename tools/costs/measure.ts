/*
 * `npm run measure` calls the example of every endpoint in a local run, with the bundles and threads of that run,
 * and writes the resources that a call used to measured.json.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { type LocalService, type Outcome, startLocalService } from "cdk-local-runner";
import { type StoreName, tables } from "../../lambdas/resources/stores.ts";
import { synthesise } from "../../local/synthesise.ts";
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
import { inMs, newToken } from "../support/tokens.ts";
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
        ...record,
        [partitionKey]: `${String(Object(record)[partitionKey])}-${n}`,
      })),
    );
    return [store, copies];
  });
  return Object.fromEntries(more);
};

/** Calls the function of an example and returns the outcome. */
const call = async (service: LocalService, { operation, request }: OperationExample, token: string) => {
  const { functionName, path, endpoint } = operation;
  const body = request.form && new URLSearchParams(request.form).toString();
  const incoming = {
    method: request.method,
    path: decodeURIComponent(request.path),
    query: request.query,
    headers: {
      accept: "application/json",
      "x-token": token,
      ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
    },
    ...(body !== undefined && { body }),
  };
  const route = () => ({
    functionName,
    routeKey: `${request.method} ${path}`,
    pathParameters: endpoint.example.parameters,
  });
  const outcome = await service.invoke(functionName, httpEvent(incoming, { route }).event);
  const { statusCode = 500 }: { statusCode?: number } = JSON.parse(outcome.payload);
  return { outcome, isSuccess: statusCode < 300 };
};

const measure = async (
  service: LocalService,
  access: TableAccess,
  example: OperationExample,
): Promise<Measured["endpoints"][string]> => {
  const { functionName } = example.operation;
  // A token that was used just now, so that no call records its use.
  const { text: token, record } = newToken({ ip: "127.0.0.1", last_used_at: inMs(0) });
  const prepare = async (state: StateName) => {
    await access.fill(recordsIn(state, example));
    await access.put("tokens", record);
  };
  const succeeds = async () => (await call(service, example, token)).isSuccess;
  const state = await findSuccessState(access, { prepare, call: succeeds });
  if (!state)
    throw new Error(`The example of ${functionName} succeeds with none of the tables ${stateNames.join(", ")}.`);

  const outcomes: Outcome[] = [];
  for (let n = 0; n < calls; n += 1) {
    // A read does not change the tables.
    if (n === 0 || example.request.method !== "GET") await prepare(state);
    const { outcome, isSuccess } = await call(service, example, token);
    if (!isSuccess) throw new Error(`${functionName} answered ${outcome.payload}.`);
    outcomes.push(outcome);
  }
  const median = (of: (outcome: Outcome) => number) => outcomes.map(of).toSorted((a, b) => a - b)[calls / 2] ?? 0;
  return {
    milliseconds: Number(median(({ durationMilliseconds }) => durationMilliseconds).toFixed(1)),
    logBytes: median(({ log }) => Buffer.byteLength(log)),
    answerBytes: median(({ payload }) => Buffer.byteLength(payload)),
  };
};

const dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-measure-"));
const service = await startLocalService({ port: 0, dataDirectory, assembly: () => synthesise(dataDirectory) });
const client = new DynamoDBClient({
  endpoint: service.dynamodbUrl,
  region: "us-east-1",
  credentials: { accessKeyId: "measure", secretAccessKey: "measure" },
});
const access = accessTables(client, (store) => tableNameOf(service, store));
const endpoints: Measured["endpoints"] = {};
for (const example of operationExamples()) {
  endpoints[example.operation.functionName] = await measure(service, access, example);
}
client.destroy();
await service.close();
await rm(dataDirectory, { recursive: true });

const machine = `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version}, embedded DynamoDB`;
await writeFile(measuredFile, `${JSON.stringify({ machine, endpoints } satisfies Measured, null, 2)}\n`);
