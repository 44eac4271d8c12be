import { signIn } from "cdk-local-runner/parts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tableIdOf } from "../../infra/constructs/service-tables.ts";
import { functionsOf } from "../../infra/functions.ts";
import { exampleRecord } from "../../lambdas/declaration/example-record.ts";
import { exampleEventOf } from "../../lambdas/declaration/job.ts";
import { jobsOf } from "../../lambdas/declaration/operations.ts";
import type { Service } from "../../lambdas/declaration/service.ts";
import { partitionsOf } from "../../lambdas/declaration/shown-records.ts";
import { formatEntry } from "../../lambdas/domain/history/change-entry.ts";
import { exampleToken } from "../../lambdas/domain/tokens/tokens-table.ts";
import { deletedShardOf } from "../../lambdas/dynamodb/change-history.ts";
import { pick } from "../../lambdas/dynamodb/record-plans.ts";
import { rightsOn } from "../../lambdas/dynamodb/uses.ts";
import { getToken } from "../../lambdas/v1/get-token.ts";
import { recordsFor, type ServiceRequests, sendExample } from "./support/changed-request.ts";
import { isSuccess } from "./support/decode-body.ts";
import { confirmationsOf, exampleCaller } from "./support/example-callers.ts";
import { type ActionExample, actionExamples, operationExamples, targetOf } from "./support/examples.ts";
import { type OwnService, startTestService, tablesOf } from "./support/running-service.ts";
import type { TableAccess } from "./support/table-access.ts";
import { adviceForSuccess, recordsIn, statesOf } from "./support/table-states.ts";

const addresses = { ip: "127.0.0.1", otherIp: "127.0.0.2" };

/** Tests that the functions of a service need exactly the rights that they declare. The local runner enforces these rights. */
export const testPermissions = (
  declared: Service,
  { assembly, requests = {} }: { assembly: () => Promise<string>; requests?: ServiceRequests },
): void => {
  let service: OwnService;
  /** The names of endpoints, jobs and actions that have succeeded in at least one state of the tables. */
  const successes = new Set<string>();
  const examples = operationExamples(declared);
  const jobs = jobsOf(declared);

  beforeAll(async () => {
    service = await startTestService(declared, { assemblyDirectory: await assembly() });
    const tables = tablesOf(service, declared.tables);
    const admin = service.logins.find(({ groups }) => groups.includes("Admin")) ?? expect.fail("There is no admin.");
    const accessToken = await signIn(service, admin);
    for (const state of statesOf(declared.tables)) {
      for (const example of examples) {
        const { functionName, endpoint } = example.operation;
        for (const confirmation of confirmationsOf(endpoint)) {
          // An unused token with a rate limit, so that its use is recorded and its requests are counted.
          const caller = exampleCaller(endpoint, { ...addresses, confirmation, fields: { rate_limit: 100 } });
          await tables.fill(recordsIn(state, declared.tables, caller.record));
          const { status } = await sendExample(service, example, caller);
          if (isSuccess(status)) successes.add(functionName);
          if (endpoint.credential === "workload") {
            await tables.fill(recordsIn("empty", declared.tables));
            await sendExample(service, example, caller);
          }
          // Only requests from the token's own address are counted.
          if (caller.from !== addresses.ip) await sendExample(service, example, { ...caller, from: addresses.ip });
        }
      }
      for (const { functionName, job } of jobs) {
        await tables.fill(recordsIn(state, declared.tables));
        const { failed } = await service.invoke(functionName, exampleEventOf(job));
        if (!failed) successes.add(functionName);
      }
      for (const { name, payload, request } of actionExamples(declared)) {
        await tables.fill(recordsIn(state, declared.tables));
        const { failed } = await service.invoke("admin", payload);
        if (!failed) successes.add(name);
        await tables.fill(recordsIn(state, declared.tables));
        await sendAction(service, request, accessToken);
      }
    }
    for (const example of examples) {
      for (const request of Object.values(requests[example.operation.functionName] ?? {})) {
        const caller = exampleCaller(example.operation.endpoint, { ...addresses, fields: { client: request.client } });
        await tables.fill(recordsFor(request, { tables: declared.tables, caller: caller.record }));
        await sendExample(service, example, caller, request);
      }
    }
    for (const { functionName, job } of jobs) {
      for (const { json = exampleEventOf(job), ...request } of Object.values(requests[functionName] ?? {})) {
        await tables.fill(recordsFor(request, { tables: declared.tables, caller: exampleToken }));
        await service.invoke(functionName, json);
      }
    }
    await service.call("GET", "/api/v1/nowhere");
    await tables.fill({ ...recordsIn("filled", declared.tables), notices: [] });
    if (declared.tables.keys) await deleteKeyLongAgo(tables);
    await service.invoke("notices", { task: "daily" });
    const others = [
      { payload: { action: "history", key_id: "deleted" }, path: "/admin/history", query: "key_id=deleted" },
      ...recordRequests(declared).map(({ store, ...found }) => ({
        payload: { action: "list_records", store, ...found },
        ...{ path: `/admin/records/${store}`, query: new URLSearchParams(found).toString() },
      })),
    ];
    for (const { payload, ...request } of others) {
      await service.invoke("admin", payload);
      await sendAction(service, { method: "GET", ...request }, accessToken);
    }
    const { text: token, record } = exampleCaller(getToken, addresses);
    await tables.fill({ tokens: [record] });
    await service.call("GET", "/api/v1/token", { token, from: addresses.otherIp });
    // The usage function counts the calls a little later.
    await service.deliverLogs();
  });
  afterAll(() => service.close());

  test("the example of every endpoint, job and action succeeds in some state of the tables", () => {
    const all = [
      ...examples.map(({ operation }) => operation.functionName),
      ...jobs.map(({ functionName }) => functionName),
      ...actionExamples(declared).map(({ name }) => name),
    ];
    expect(
      all.filter((name) => !successes.has(name)),
      adviceForSuccess,
    ).toEqual([]);
  });

  test("every function uses all permissions that it declares, and needs no others", async () => {
    expect(await usedTableRights(service)).toEqual(declaredTableRights(declared));
  });
};

/** Returns the fields of requests for the records that admins see: for all of a store's, and for some that each index finds. */
const recordRequests = ({ tables, records }: Service): { store: string; index?: string; where?: string }[] =>
  Object.entries(records).flatMap(([store, shown]) => {
    const example = tables[store] && exampleRecord(tables[store]);
    const found = Object.entries(partitionsOf(shown)).map(([index, { partition }]) => ({
      ...{ store, index, where: JSON.stringify(pick(Object(example), partition)) },
    }));
    return [{ store }, ...found];
  });

/** Returns the rights on tables that the functions of a service declare, each as text that starts with the function's name. */
export const declaredTableRights = (service: Service): string[] => {
  const rights = functionsOf(service).flatMap(({ name, uses }) =>
    Object.entries(service.tables).flatMap(([store, table]) =>
      rightsOn(table, uses[store] ?? []).map((right) => {
        if (typeof right === "string") return `${name} dynamodb:${right} ${tableIdOf(store)}`;
        const index = "index" in right ? `/index/${right.index}` : "";
        return `${name} dynamodb:${right.action} ${tableIdOf(store)}${index}`;
      }),
    ),
  );
  return [...new Set(rights)].toSorted();
};

/** Returns the rights on tables that the functions have used, in the same form. */
export const usedTableRights = async (service: OwnService): Promise<string[]> =>
  (await service.usedRights())
    .filter(({ action }) => action.startsWith("dynamodb:"))
    .map(({ functionName, action, resource }) => `${functionName} ${action} ${resource.split("/").slice(1).join("/")}`)
    .toSorted();

/** Sends the example of an action as the web interface does. */
const sendAction = async (
  { baseUrl }: OwnService,
  { method, path, query, json }: ActionExample["request"],
  accessToken: string,
): Promise<void> => {
  const headers = { authorization: `Bearer ${accessToken}`, ...(json && { "content-type": "application/json" }) };
  await fetch(`${baseUrl}${targetOf({ path, query })}`, {
    ...{ method, headers },
    ...(json && { body: JSON.stringify(json) }),
  });
};

/** Creates the tombstone of a key that was deleted long ago. The daily run moves the key's history. */
const deleteKeyLongAgo = async (tables: TableAccess): Promise<void> => {
  const updated_at = "2026-11-01T10:15:30.123Z";
  const entry = formatEntry(updated_at, { kind: "deleted", author: { by: "invoke:1", requestId: "1" } });
  const change_shard = deletedShardOf("deleted");
  await tables.put("keys", {
    key_id: "deleted",
    updated_at,
    deletion_id: "1",
    change_shard,
    history: new Set([entry]),
  });
};
