import type { Service } from "../../../lambdas/declaration/service.ts";
import { descriptionOf } from "../contract/description.ts";
import { responseContract } from "../contract/response-contract.ts";
import { type ExampleRequest, encodeBody, targetOf } from "../support/examples.ts";
import { httpEvent } from "../support/http-event.ts";
import { loadFunctions } from "../support/loaded-functions.ts";
import { startMemoryDatabase } from "../support/memory-database.ts";
import { startParameterStore } from "../support/parameters.ts";
import { accessTables, type TableAccess } from "../support/table-access.ts";
import { startTestIssuer } from "../support/workloads.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";

export interface Response {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The log of the function. */
  log: string;
}

/** The deployed functions, with their own database and a proxy in front of it that injects faults. */
export interface Deployment {
  proxy: FaultProxy;
  /** Direct access to the tables, bypassing the proxy. */
  access: TableAccess;
  /** Interrupts the Parameter Store. */
  setParametersDown(down: boolean): void;
  /** Calls an endpoint. Throws if the response does not match the description. */
  call(request: ExampleRequest, token: string, from: string): Promise<Response>;
  /** Overrides the timeout of functions, or restores it. */
  setTimeout(milliseconds?: number): void;
  /** Returns a new JWT of the workload in the examples. */
  workloadJwt(): Promise<string>;
  /** Invokes the admin function. A rejection has the status of its error. */
  admin(payload: object): Promise<Response>;
  close(): Promise<void>;
}

/** Deploys the assembly of a service. */
export const deploy = async (service: Service, assemblyDirectory: string): Promise<Deployment> => {
  const { assertDescribed } = responseContract(descriptionOf(service));
  const database = await startMemoryDatabase();
  const proxy = await startFaultProxy(database);
  const issuer = await startTestIssuer();
  const store = await startParameterStore(service);
  const access = { ...database.access, endpoint: proxy.url };
  const functions = await loadFunctions(assemblyDirectory, access, { issuerUrl: issuer.url, messagesUrl: store.url });

  let timeout: number | undefined;

  return {
    proxy,
    setParametersDown: store.setDown,
    setTimeout(milliseconds) {
      timeout = milliseconds;
    },
    access: accessTables(service.tables, database.operations, functions.tableOf),
    workloadJwt: issuer.workloadJwt,
    async call(request, token, sourceIp) {
      const { method, path, query } = request;
      const body = encodeBody(request);
      const headers = {
        accept: "application/json",
        "x-token": token,
        ...(body && { "content-type": body.mediaType }),
      };
      const sent = { method, path: decodeURIComponent(path), query, headers, sourceIp };
      const { functionName, event } = httpEvent({ ...sent, ...(body && { body: body.text }) }, functions);
      const { outcome, log } = await functions.invoke(functionName, event, timeout);
      if ("error" in outcome) throw outcome.error;
      const response = outcome.answer as { statusCode: number; headers?: Record<string, string>; body?: string };
      const received = Object.entries(response.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
      const { statusCode: status, body: text = "" } = response;
      const described = { status, headers: Object.fromEntries(received), text };
      assertDescribed(method, targetOf(request), described);
      return { ...described, log };
    },
    async admin(payload) {
      const { outcome, log } = await functions.invoke("admin", payload, timeout);
      if ("answer" in outcome) return { status: 200, headers: {}, text: JSON.stringify(outcome.answer), log };
      const { name, message } = outcome.error as Error;
      const isUnavailable = name === "unavailable";
      return {
        status: isUnavailable ? 503 : 400,
        headers: isUnavailable ? { "retry-after": "1" } : {},
        text: message,
        log,
      };
    },
    async close() {
      await proxy.refuse();
      issuer.close();
      store.close();
      database.close();
    },
  };
};
