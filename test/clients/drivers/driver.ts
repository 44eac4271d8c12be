import { createInterface } from "node:readline";
import {
  ApiFailure,
  createIntegrationClient,
  type IntegrationClient,
  ValidationFailed,
} from "../../../packages/client/src/index.ts";
import type { Command, Failure, Retried } from "../support/drivers.ts";
import { jsonLine } from "../support/json-line.ts";

/*
 * Makes the calls of the contract suite with the TypeScript client: a JSON command per line in, a JSON outcome per line out.
 */

type Key = Awaited<ReturnType<typeof readKey>>;

const clients = new Map<string, { client: IntegrationClient; timeoutMilliseconds: number | undefined }>();
const keys = new Map<string, Key>();
const lists = new Map<string, Key[][]>();
const retries: Retried[] = [];

const openClient = ({
  client,
  base_url,
  token,
  retry = {},
  timeout_milliseconds,
}: Extract<Command, { call: "open" }>) => {
  const { attempts, maximum_wait_milliseconds } = retry;
  clients.set(client, {
    timeoutMilliseconds: timeout_milliseconds,
    client: createIntegrationClient({
      baseUrl: base_url,
      token,
      retry: {
        ...(attempts !== undefined && { attempts }),
        ...(maximum_wait_milliseconds !== undefined && { maximumWaitMilliseconds: maximum_wait_milliseconds }),
        onRetry: ({ status, attempt, waitMilliseconds }) =>
          void retries.push({ status, attempt, milliseconds: waitMilliseconds }),
        wait: async () => undefined,
      },
    }),
  });
};

const readKey = (client: IntegrationClient, key_id: string, options: { signal?: AbortSignal }) =>
  client.GET("/api/v1/key/{key_id}", { ...options, params: { path: { key_id } } });

const run = async (command: Command): Promise<unknown> => {
  if (command.call === "open") return openClient(command);
  const opened = clients.get(command.client);
  if (opened === undefined) throw new Error(`${command.client} is not open`);
  const { client, timeoutMilliseconds } = opened;
  const options = timeoutMilliseconds === undefined ? {} : { signal: AbortSignal.timeout(timeoutMilliseconds) };
  switch (command.call) {
    case "get_token":
      return client.GET("/api/v1/token", options);
    case "create_key": {
      const { key_id, v_code } = command;
      return keep(command, await client.POST("/api/v1/key", { ...options, body: { key_id, v_code } }));
    }
    case "get_key":
      return keep(command, await readKey(client, command.key_id, options));
    case "replace_key": {
      const { key_id, v_code } = command;
      const params = { path: { key_id } };
      const init = { ...options, ...condition(command), params, body: { v_code } };
      return keep(command, await client.PUT("/api/v1/key/{key_id}", init));
    }
    case "delete_key": {
      const params = { path: { key_id: command.key_id } };
      return client.DELETE("/api/v1/key/{key_id}", { ...options, ...condition(command), params });
    }
    case "pages": {
      const query = command.limit === undefined ? {} : { limit: command.limit };
      const found: Key[][] = [];
      for await (const page of client.pages("/api/v1/key", { ...options, params: { query } })) {
        found.push(page);
        if (found.length === command.take) break;
      }
      if (command.keep !== undefined) lists.set(command.keep, found);
      return found;
    }
  }
};

const keep = ({ keep }: { keep?: string }, key: Key): Key => {
  if (keep !== undefined) keys.set(keep, key);
  return key;
};

const condition = (command: Command): { ifUnchanged?: Key } => {
  if ("if_unchanged" in command) return { ifUnchanged: kept(keys, command.if_unchanged) };
  if ("if_unchanged_copy_of" in command) return { ifUnchanged: { ...kept(keys, command.if_unchanged_copy_of) } };
  if ("if_unchanged_item_of" in command) {
    const [item] = kept(lists, command.if_unchanged_item_of).flat();
    if (item !== undefined) return { ifUnchanged: item };
  }
  return {};
};

const kept = <Value>(values: Map<string, Value>, name: string): Value => {
  const value = values.get(name);
  if (value === undefined) throw new Error(`${name} was not kept`);
  return value;
};

const failureOf = (error: unknown): Failure => {
  if (error instanceof ApiFailure) {
    const { name, status, code, message, requestId = null } = error;
    const fields = error instanceof ValidationFailed ? { fields: error.fields } : {};
    return { kind: name, status, code, message, request_id: requestId, ...fields };
  }
  if (error instanceof DOMException && error.name === "TimeoutError") return { kind: "timeout" };
  if (error instanceof TypeError) {
    const { message } = error;
    return ["fetch failed", "terminated"].includes(message) ? { kind: "no response" } : { kind: "misuse", message };
  }
  return { kind: "unexpected", message: String(error) };
};

for await (const line of createInterface({ input: process.stdin })) {
  retries.length = 0;
  let outcome: object;
  try {
    outcome = { value: (await run(JSON.parse(line))) ?? null };
  } catch (error) {
    outcome = { failure: failureOf(error) };
  }
  process.stdout.write(jsonLine({ ...outcome, retries }));
}
