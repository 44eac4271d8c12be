import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { type LocalService, startLocalService } from "cdk-local-runner";
import { taggedResponse } from "../../infra/build/description/headers.ts";
import type { Endpoint } from "../../lambdas/declaration/endpoint.ts";
import { mapStores, tables } from "../../lambdas/resources/stores.ts";
import type { Outcome, Trial } from "../lab/experiment.ts";
import { exampleCaller } from "../support/example-callers.ts";
import { type OperationExample, operationExamples } from "../support/examples.ts";
import { httpEvent } from "../support/http-event.ts";
import {
  accessTables,
  exampleStates,
  findSuccessState,
  type Records,
  type StateName,
  type TableAccess,
  tableNameOf,
} from "../support/table-states.ts";
import { inMs } from "../support/tokens.ts";
import { keysOfPage, type Measured, measuredFile } from "./calls.ts";

/**
 * Calls the example of every endpoint in a local run, with the bundles and threads of that run, and writes what a call used to
 * measured.json. The smoke form calls only some of them, each once, and writes nothing.
 */
export const measureCosts = async ({ directory, assembly, isSmoke, progress }: Trial): Promise<Outcome> => {
  const service = await startLocalService({ port: 0, dataDirectory: join(directory, "data"), assembly });
  const credentials = { accessKeyId: "measure", secretAccessKey: "measure" };
  const client = new DynamoDB({ endpoint: service.dynamodbUrl, region: "us-east-1", credentials });
  const access = accessTables(client, (store) => tableNameOf(service, store));
  const endpoints: Measured["endpoints"] = {};
  const variants: Measured["variants"] = [];
  try {
    for (const example of operationExamples()) {
      const { functionName: endpoint, endpoint: declared } = example.operation;
      const savers = headersThatSave(declared);
      if (isSmoke && savers.length === 0) continue;
      const measure = await prepareExample(service, access, example, isSmoke ? 1 : 300);
      progress(endpoint);
      endpoints[endpoint] = await measure({});
      for (const [name, value] of savers) {
        const found = await measure({ [name.toLowerCase()]: value });
        variants.push({ endpoint, header: `${name}: ${value}`, ...found });
      }
    }
  } finally {
    client.destroy();
    await service.close();
  }
  const machine = `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version}, embedded DynamoDB`;
  const measured: Measured = { machine, endpoints, variants };
  if (!isSmoke) await writeFile(measuredFile, `${JSON.stringify(measured, null, 2)}\n`);
  return { problems: [], figures: { "endpoints measured": Object.keys(endpoints).length } };
};

/** The headers that make the responses of an endpoint smaller. */
const headersThatSave = (endpoint: Endpoint): [name: string, value: string][] => {
  const tagged = taggedResponse(endpoint);
  const compressed: [string, string][] = ["gzip", "br"].map((encoding) => ["Accept-Encoding", encoding]);
  return tagged ? [...(tagged.paged ? compressed : []), ["If-None-Match", "*"]] : [];
};

type Headers = Record<string, string>;

/** Finds out when an example succeeds, and returns a function that measures calls of it. */
const prepareExample = async (
  service: LocalService,
  access: TableAccess,
  { operation, request }: OperationExample,
  calls: number,
): Promise<(headers: Headers) => Promise<Measured["endpoints"][string]>> => {
  const { functionName, path, endpoint } = operation;
  const isPaged = Object.values(endpoint.responses).some(({ paged }) => paged);
  let caller = exampleCaller(endpoint);
  const prepare = async (state: StateName) => {
    // A token that was used just now, so that no call records its use.
    caller = exampleCaller(endpoint, { fields: { last_used_at: inMs(0) } });
    await access.fill(isPaged ? pageOf(exampleStates[state]) : exampleStates[state]);
    await access.put("tokens", caller.record);
  };
  const route = () => ({
    functionName,
    routeKey: `${request.method} ${path}`,
    pathParameters: endpoint.example.parameters,
  });
  const call = async (headers: Headers = {}) => {
    const form = request.form && new URLSearchParams(request.form).toString();
    const type = form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
    const incoming = {
      ...{ method: request.method, path: decodeURIComponent(request.path), query: request.query },
      ...{
        sourceIp: caller.from,
        headers: { accept: "application/json", "x-token": caller.text, ...type, ...headers },
      },
      ...(form !== undefined && { body: form }),
    };
    const outcome = await service.invoke(functionName, httpEvent(incoming, { route }).event);
    const response: Response = JSON.parse(outcome.payload);
    return { outcome, response, isSuccess: response.statusCode < 300 || response.statusCode === 304 };
  };
  const state = await findSuccessState(access, { prepare, call: async () => (await call()).isSuccess });
  if (!state) throw new Error(`The example of ${functionName} succeeds with none of the example tables.`);

  return async (headers) => {
    const results: Awaited<ReturnType<typeof call>>[] = [];
    for (let n = 0; n < calls; n += 1) {
      // A read does not change the tables.
      if (n === 0 || request.method !== "GET") await prepare(state);
      const result = await call(headers);
      if (!result.isSuccess) throw new Error(`${functionName} answered ${result.outcome.payload}.`);
      results.push(result);
    }
    const median = (of: (result: (typeof results)[number]) => number): number =>
      results.map(of).toSorted((a, b) => a - b)[Math.floor(calls / 2)] ?? 0;
    return {
      milliseconds: Number(median(({ outcome }) => outcome.durationMilliseconds).toFixed(1)),
      logBytes: median(({ outcome }) => Buffer.byteLength(outcome.log)),
      answerBytes: median(({ response }) => sentBytes(response)),
    };
  };
};

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

/** A full page of records like those of a state. Their long texts are random: compression must not profit from copies. */
const pageOf = (records: Records): Records =>
  mapStores((store) =>
    records[store].flatMap((record) =>
      Array.from({ length: keysOfPage }, (_, number) => {
        const fields = Object.entries(record).map(([name, value]): [string, unknown] => {
          if (name === tables[store].partitionKey) return [name, `${value}-${number}`];
          const isSecret = typeof value === "string" && value.length >= 40;
          return [name, isSecret ? randomBytes(value.length).toString("base64").slice(0, value.length) : value];
        });
        return Object.fromEntries(fields);
      }),
    ),
  );
