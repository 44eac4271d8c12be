import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Login } from "cdk-local-runner";
import { signIn } from "cdk-local-runner/parts";
import { inject } from "vitest";
import { api } from "../../lambdas/api.ts";
import type { Service } from "../../lambdas/declaration/service.ts";
import { mapStores, type StoreName, tables } from "../../lambdas/domain/built-in-stores.ts";
import {
  type OwnService,
  type RunOptions,
  run,
  startTestService,
  type TestService,
  tablesOf as tablesOfAny,
  testServiceOf,
  type WithTables,
} from "../kit/support/running-service.ts";
import type { TableAccess } from "../kit/support/table-access.ts";
import { oncePerWorker } from "./once-per-worker.ts";

export {
  type Answer,
  type CallOptions,
  deleteTable,
  type OwnService,
  type TestService,
} from "../kit/support/running-service.ts";

/**
 * The service that the test files of a worker share one after another, on the synthesised template. Its tables are empty, and
 * its log begins with this call. Starting another service would take longer than most files' tests. It uses the DynamoDB that
 * `AWS_ENDPOINT_URL_DYNAMODB` names, if any.
 */
export const sharedService = async (): Promise<TestService> => {
  const { service, log } = await oncePerWorker("service", async () =>
    run({
      assembly: inject("assemblyDirectory"),
      // Everything in this folder is removed after the tests.
      dataDirectory: await mkdtemp(join(inject("otherAssemblies"), "data-")),
      externalDatabase: inject("externalDatabase"),
    }),
  );
  await service.deliverLogs();
  await tablesOf(service).fill(mapStores(() => []));
  const earlier = log().length;
  return testServiceOf(api, { service, log: () => log().slice(earlier) });
};

interface TestServiceOptions extends RunOptions {
  /** The synthesised template that runs. */
  assemblyDirectory?: string;
  /** The service in the template. */
  described?: Service;
}

/** Starts the service on the synthesised template, with separate ports and data. */
export const startService = ({ described = api, ...options }: TestServiceOptions = {}): Promise<OwnService> =>
  startTestService(described, { assemblyDirectory: inject("assemblyDirectory"), ...options });

/** Returns the login of a user in a group. */
export const loginOf = ({ logins }: TestService, group: string): Login => {
  const login = logins.find(({ groups }) => groups.includes(group));
  if (!login) throw new Error(`No user is in the group ${group}.`);
  return login;
};

/** Signs in a user of a group, and returns the header for the admin's HTTP interface. */
export const authorizationOf = async (service: TestService, group = "Admin"): Promise<{ authorization: string }> => ({
  authorization: `Bearer ${await signIn(service, loginOf(service, group))}`,
});

/** Returns a running service's tables. */
export const tablesOf = (service: WithTables): TableAccess<StoreName> => tablesOfAny(service, tables);
