import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteTableCommand, DynamoDB, waitUntilTableNotExists } from "@aws-sdk/client-dynamodb";
import { type LocalService, type LocalServiceOptions, startLocalService } from "cdk-local-runner";
import type { Service } from "../../../lambdas/declaration/service.ts";
import type { Tables } from "../../../lambdas/dynamodb/uses.ts";
import { descriptionOf } from "../contract/description.ts";
import { responseContract } from "../contract/response-contract.ts";
import { decodeBody } from "./decode-body.ts";
import { encodeBody } from "./examples.ts";
import { parameterExamples } from "./parameters.ts";
import { accessTables, type TableAccess, tableNameOf } from "./table-access.ts";
import { jwtFrom } from "./workloads.ts";

export interface TestService extends Omit<LocalService, OwnersOnly> {
  /** Returns everything that the functions have logged so far. */
  logged(): string;
  /** Invokes the admin function. Throws `{ errorType, errorMessage }` if the function rejects the action. */
  admin(payload: object | null): Promise<Record<string, unknown>>;
  /** Issues a token for an address and returns its value. */
  issueToken(ip?: string, fields?: object): Promise<string>;
  /** Returns a new JWT of the embedded issuer for this service. Default subject: the workload in the examples. */
  workloadJwt(subject?: string): Promise<string>;
  /**
   * Calls the API, by default as a well-behaved client from 127.0.0.1 with its own token. Throws if the response does not match the
   * description of the API.
   */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

/** The members that only a test with its own service may use. */
type OwnersOnly = "close" | "reload" | "replaceCode";

export type OwnService = TestService & Pick<LocalService, OwnersOnly>;

export interface CallOptions {
  /** The address that the call comes from. */
  from?: string;
  /** The token to send, or null to send none. */
  token?: string | null;
  /** Fields, or a body as text. */
  form?: Record<string, string> | string;
  /** The members of a JSON body, or a body as text. */
  json?: object | string;
  /** The media type of the JSON. Default: `application/json`. */
  mediaType?: string;
  headers?: Record<string, string | string[]>;
}

export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
  /** The size of the body as it was sent, in bytes. */
  sentBytes: number;
  /** Parses the body as JSON. */
  json(): unknown;
}

export type RunOptions = Pick<LocalServiceOptions, "externalDatabase" | "additionalUsers" | "parameters">;

/** Starts the service in a cloud assembly, with separate ports and data. */
export const startTestService = async (
  described: Service,
  { assemblyDirectory, ...options }: RunOptions & { assemblyDirectory: string },
): Promise<OwnService> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-data-"));
  const running = await run({
    parameters: parameterExamples(described),
    ...options,
    assembly: assemblyDirectory,
    dataDirectory,
  });
  return {
    ...(await testServiceOf(described, running)),
    close: async () => {
      await running.service.close();
      await rm(dataDirectory, { recursive: true });
    },
  };
};

/** A running service and its log. */
interface Running {
  service: LocalService;
  log: () => string;
}

export const run = async (
  options: RunOptions & Pick<LocalServiceOptions, "assembly" | "dataDirectory">,
): Promise<Running> => {
  let output = "";
  const service = await startLocalService({
    ...options,
    port: 0,
    log: (text) => {
      output += text;
    },
  });
  return { service, log: () => output };
};

export const testServiceOf = async (described: Service, { service, log }: Running): Promise<OwnService> => {
  const { assertDescribed } = responseContract(descriptionOf(described));
  const admin: TestService["admin"] = async (payload) => {
    const outcome = await service.invoke("admin", payload);
    const answer: unknown = JSON.parse(outcome.payload);
    if (outcome.failed) throw answer;
    return answer as Record<string, unknown>;
  };
  const issueToken: TestService["issueToken"] = async (ip = "127.0.0.1", fields = {}) =>
    String((await admin({ action: "issue", ip, ...fields })).token);
  const { exampleClient } = described;
  const ownToken = await issueToken(undefined, exampleClient === undefined ? {} : { client: exampleClient });

  return {
    ...service,
    logged: log,
    admin,
    issueToken,
    workloadJwt: (subject) => jwtFrom(`${service.loginUrl}/workloads`, service.baseUrl, subject),
    call: async (method, path, { token = ownToken, ...options } = {}) => {
      const answer = await call(service.baseUrl, method, path, { token, ...options });
      assertDescribed(method, path, answer);
      return answer;
    },
  };
};

const readAnswer = async (response: IncomingMessage): Promise<Answer> => {
  const chunks: Buffer[] = await response.toArray();
  const body = Buffer.concat(chunks);
  const text = decodeBody(body, response.headers["content-encoding"]).toString("utf8");
  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Answer["headers"],
    text,
    sentBytes: body.length,
    json: () => JSON.parse(text),
  };
};

const call = (
  baseUrl: string,
  method: string,
  path: string,
  { from = "127.0.0.1", token = null, headers = {}, ...unencoded }: CallOptions,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const body = encodeBody(unencoded);
    const outgoing = request(`${baseUrl}${path}`, {
      method,
      localAddress: from,
      headers: {
        accept: "application/json",
        ...(token !== null && { "x-token": token }),
        ...(body && { "content-type": body.mediaType }),
        ...headers,
      },
    });
    outgoing.once("error", reject).once("response", (response) => readAnswer(response).then(resolve, reject));
    outgoing.end(body?.text);
  });

/** The access to a service's tables. */
export type WithTables = Pick<LocalService, "dynamodbUrl" | "tableNames">;

const clientOf = ({ dynamodbUrl }: WithTables): DynamoDB =>
  new DynamoDB({
    endpoint: dynamodbUrl,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });

/** Returns access to the tables of a running service. */
export const tablesOf = <T extends Tables>(service: WithTables, tables: T): TableAccess<keyof T & string> =>
  accessTables(tables, clientOf(service), (store) => tableNameOf(service, store));

/** Deletes a table of a running service, and waits until the table is gone. The service must stay open until then. */
export const deleteTable = async (service: WithTables, store: string): Promise<void> => {
  const client = clientOf(service);
  const TableName = tableNameOf(service, store);
  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists({ client, maxWaitTime: 60, minDelay: 0.01, maxDelay: 1 }, { TableName });
  client.destroy();
};
