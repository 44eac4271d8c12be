import { afterAll, beforeAll } from "vitest";
import type { Service } from "../../lambdas/declaration/service.ts";
import { tables as builtInTables } from "../../lambdas/domain/built-in-stores.ts";
import { useAssembly } from "./support/assembly.ts";
import { completed } from "./support/changed-request.ts";
import { type OwnService, startTestService, type TestService, tablesOf } from "./support/running-service.ts";
import type { Records } from "./support/table-states.ts";

/** Records by store: the fields in which each differs from the example record. */
type GivenRecords = Readonly<Record<string, readonly object[]>>;

interface UseServiceOptions {
  /** The records that the tables have at the start. Default: none. */
  records?: GivenRecords;
  /** Values of settings that differ from the examples. */
  settings?: Readonly<Record<string, string>>;
}

/** A running service for the tests of one file. */
interface UsedService {
  /** Sends a request, with a valid token unless `token` says otherwise. Rejects responses that the description lacks. */
  call: TestService["call"];
  /** Replaces all records of these stores. */
  seed(records: GivenRecords): Promise<void>;
  /** Returns the application's tables to their records at the start. */
  reset(): Promise<void>;
  /** Moves the clock of the service forward. Schedules that are due run. The clock cannot go back. */
  advance(period: { days?: number; hours?: number }): Promise<void>;
}

/**
 * Runs a service, with the CDK app in the current folder, for the tests of one file. It starts before the first test, and stops
 * after the last.
 *
 * @example
 * const { call, reset } = useService(shop, { records: { articles: [{ stock: 1 }] } });
 * beforeEach(reset);
 * test("sells the last article", async () => {
 *   const { status, json } = await call("POST", "/api/v1/order", { json: { article_id: "LAMP-7" } });
 *   expect({ status, body: json() }).toMatchObject({ status: 201, body: { state: "placed" } });
 * });
 */
export const useService = (service: Service, options: UseServiceOptions = {}): UsedService =>
  useAssembledService(service, { ...options, assembly: useAssembly(options.settings) });

/** Runs a service in its cloud assembly for the tests of one file: see `useService`. */
export const useAssembledService = (
  service: Service,
  { assembly, records = {} }: UseServiceOptions & { assembly: () => Promise<string> },
): UsedService => {
  const tables = Object.fromEntries(Object.entries(service.tables).filter(([store]) => !(store in builtInTables)));
  const empty: Records = Object.fromEntries(Object.keys(tables).map((store) => [store, []]));
  let running: OwnService | undefined;
  const started = (): OwnService => {
    if (!running) throw new Error("The service runs only in tests and their hooks.");
    return running;
  };
  const seed: UsedService["seed"] = (all) => tablesOf(started(), tables).fill(completed(all, tables));
  const reset = () => seed({ ...empty, ...records });

  beforeAll(async () => {
    running = await startTestService(service, { assemblyDirectory: await assembly() });
    await reset();
  }, 900_000);
  afterAll(() => running?.close());

  return {
    call: (...request) => started().call(...request),
    seed,
    reset,
    async advance(period) {
      const response = await fetch(`${started().invokeUrl}/clock`, { method: "POST", body: JSON.stringify(period) });
      if (!response.ok) throw new Error(`The clock did not move: ${await response.text()}`);
    },
  };
};
