import { api } from "../../../lambdas/api.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { mapStores, type StoreName, type Stores, tables } from "../../../lambdas/resources/stores.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import { answerContract } from "../../../tools/support/contract/answer-contract.ts";
import { descriptionOf } from "../../../tools/support/contract/description.ts";
import { type ExampleRequest, targetOf } from "../../../tools/support/examples.ts";
import { httpEvent } from "../../../tools/support/http-event.ts";
import { type LoadedFunctions, loadFunctions } from "../../../tools/support/loaded-functions.ts";
import { startMemoryDatabase } from "../../../tools/support/memory-database.ts";
import { accessTables, type TableAccess } from "../../../tools/support/table-states.ts";
import { inMs, newToken } from "../../../tools/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";

export interface LaneAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The log of the function. */
  log: string;
}

/** The deployed functions, with a fault-injecting proxy between them and a database that nothing else uses. */
export interface Lane {
  functions: LoadedFunctions;
  proxy: FaultProxy;
  /** The tables, without the proxy. */
  tables: TableAccess;
  /** The stores, without the proxy. */
  stores: Stores;
  /** Stores a token for 127.0.0.1 that was used just now, so that no call records its use. */
  storedToken(fields?: Partial<TokenRecord>): Promise<{ text: string; record: TokenRecord }>;
  /** Calls an endpoint, from 127.0.0.1 unless given. Throws if the response does not match the description. */
  call(request: ExampleRequest, token: string, from?: string): Promise<LaneAnswer>;
  /** Invokes the admin function. Throws an error for a refusal, with the code as its name. */
  admin(payload: object): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const { assertDescribed } = answerContract(descriptionOf(api));

interface HttpAnswer {
  statusCode: number;
  headers?: Record<string, string>;
  body?: string;
}

export const startLane = async (assemblyDirectory: string): Promise<Lane> => {
  const database = await startMemoryDatabase();
  const proxy = await startFaultProxy(database);
  const functions = await loadFunctions(assemblyDirectory, { ...database.access, endpoint: proxy.url });
  const { client } = database;
  const open = (name: StoreName) => openStore(tables[name], { client, tableName: functions.tableOf(name) });
  const stores = mapStores(open) as Stores;

  return {
    functions,
    proxy,
    tables: accessTables(database.operations, functions.tableOf),
    stores,
    async storedToken(fields = {}) {
      const token = newToken({ ip: "127.0.0.1", last_used_at: inMs(0), ...fields });
      await stores.tokens.insert(token.record, noteOf("issued"));
      return token;
    },
    async call(request, token, sourceIp = "127.0.0.1") {
      const { method, path, query, form } = request;
      const body = form && new URLSearchParams(form).toString();
      const headers = {
        accept: "application/json",
        "x-token": token,
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      };
      const sent = { method, path: decodeURIComponent(path), query, headers, sourceIp };
      const incoming = { ...sent, ...(body !== undefined && { body }) };
      const { functionName, event } = httpEvent(incoming, functions);
      const { outcome, log } = await functions.invoke(functionName, event);
      if ("error" in outcome) throw outcome.error;
      const { statusCode: status, headers: received = {}, body: text = "" } = outcome.answer as HttpAnswer;
      const answer = {
        status,
        headers: Object.fromEntries(Object.entries(received).map(([name, value]) => [name.toLowerCase(), value])),
        text,
        log,
      };
      assertDescribed(method, targetOf(request), answer);
      return answer;
    },
    async admin(payload) {
      const { outcome } = await functions.invoke("admin", payload);
      if ("error" in outcome) throw outcome.error;
      return outcome.answer as Record<string, unknown>;
    },
    async close() {
      await proxy.close();
      database.close();
    },
  };
};

/** Slow faults run on many lanes, because they mostly wait. */
export const lanesForSlowFaults = 12;

/** Lets several lanes do jobs in parallel, since a job that meets a slow fault mostly waits. */
export const runOnLanes = async <Job>(
  lanes: readonly Lane[],
  jobs: readonly Job[],
  run: (lane: Lane, job: Job) => Promise<void>,
) => {
  const waiting = jobs.values();
  const runLane = async (lane: Lane) => {
    for (const job of waiting) await run(lane, job);
  };
  await Promise.all(lanes.map(runLane));
};

export const startLanes = (assemblyDirectory: string, count: number): Promise<Lane[]> =>
  Promise.all(Array.from({ length: count }, () => startLane(assemblyDirectory)));
