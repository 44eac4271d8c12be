import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { format, inspect } from "node:util";
import {
  ApiFailure,
  type Confirmation,
  createIntegrationClient,
  enrol,
  type IntegrationClient,
  type IntegrationClientOptions,
  type IssuedToken,
  type OnTokenExpiring,
  ValidationFailed,
} from "../../../packages/client/src/index.ts";
import { openKeptClient, TokenFileError } from "../../../packages/client/src/keeper.ts";
import { type Command, type Failure, jsonLine, type Notes, type Retried } from "../support/protocol.ts";
import { breakFiles, pauseAt } from "./break-files.ts";

/*
 * Makes the calls of the contract suite with the TypeScript client: a JSON command per line in, a JSON outcome per line out.
 */

type Key = Awaited<ReturnType<typeof readKey>>;

interface Opened {
  client: IntegrationClient;
  options: IntegrationClientOptions;
  timeoutMilliseconds: number | undefined;
}

const clients = new Map<string, Opened>();
const keys = new Map<string, Key>();
const lists = new Map<string, Key[][]>();
const retries: Retried[] = [];

let notes: Required<Omit<Notes, "shown">>;

const openClient = ({
  client,
  base_url,
  token,
  retry = {},
  timeout_milliseconds,
  on_token_expiring,
}: Extract<Command, { call: "open" }>) => {
  const { attempts, maximum_wait_milliseconds } = retry;
  let retrying = false;
  const options: IntegrationClientOptions = {
    baseUrl: base_url,
    token,
    retry: {
      ...(attempts !== undefined && { attempts }),
      ...(maximum_wait_milliseconds !== undefined && { maximumWaitMilliseconds: maximum_wait_milliseconds }),
      onRetry: ({ status, attempt, waitMilliseconds }) => {
        retrying = true;
        retries.push({ status, attempt, milliseconds: waitMilliseconds });
      },
      wait: async (milliseconds) => {
        if (!retrying) notes.waits.push(milliseconds);
        retrying = false;
        await sleep(milliseconds / 1000);
      },
    },
    ...(on_token_expiring !== undefined && { onTokenExpiring: reactions[on_token_expiring] }),
  };
  clients.set(client, { client: createIntegrationClient(options), options, timeoutMilliseconds: timeout_milliseconds });
};

const reactions: Record<"noting" | "failing", OnTokenExpiring> = {
  noting: ({ expiresAt, rotation = null }) =>
    void notes.expiring.push({ expires_at: expiresAt.toISOString(), rotation }),
  failing: () => {
    throw new Error("The mail was not sent.");
  },
};

console.warn = (...words) => void notes.warnings.push(format(...words));

const openKept = async ({ client, ...command }: Extract<Command, { call: "open_kept" }>, opened: Opened) => {
  const { maximum_age_days: days } = command;
  const kept = await openKeptClient({
    ...opened.options,
    file: command.file,
    invitation: command.invitation,
    onConfirmation: noteConfirmation,
    onReplaced: ({ token_id }) => void notes.replaced.push(token_id),
    onTokenExpiring: reactions.noting,
    onProblem: (error) => void notes.problems.push(failureOf(error)),
    ...(command.may_move !== undefined && { mayMove: command.may_move }),
    ...(command.grace_seconds !== undefined && { graceSeconds: command.grace_seconds }),
    ...(command.poll_milliseconds !== undefined && { pollMilliseconds: command.poll_milliseconds }),
    ...(days !== undefined && { maximumAgeDays: days ?? Number.POSITIVE_INFINITY }),
  });
  clients.set(client, { ...opened, client: kept });
};

const noteConfirmation = (confirmation: Confirmation) => void notes.confirmations.push(confirmation);

const readKey = (client: IntegrationClient, key_id: string, options: { signal?: AbortSignal }) =>
  client.GET("/api/v1/key/{key_id}", { ...options, params: { path: { key_id } } });

const run = async (command: Command): Promise<unknown> => {
  if (command.call === "open") return openClient(command);
  if (command.call === "break") return breakFiles(command.step);
  if (command.call === "pause") return pauseAt(command);
  const opened = clients.get(command.client);
  if (opened === undefined) throw new Error(`${command.client} is not open`);
  if (command.call === "open_kept") return openKept(command, opened);
  const { client, timeoutMilliseconds } = opened;
  const options = timeoutMilliseconds === undefined ? {} : { signal: AbortSignal.timeout(timeoutMilliseconds) };
  const confirmation = (pollMilliseconds?: number) => ({
    ...options,
    pollMilliseconds,
    onConfirmation: noteConfirmation,
  });
  switch (command.call) {
    case "enrol":
      return enrol({
        ...opened.options,
        ...confirmation(command.poll_milliseconds),
        invitation: command.invitation,
      });
    case "rotate":
      return client.rotate({ ...options, graceSeconds: command.grace_seconds });
    case "move":
      return client.move(confirmation(command.poll_milliseconds));
    case "revoke":
      return client.revoke(options);
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
  if (error instanceof TokenFileError) return { kind: error.name, message: error.message };
  if (error instanceof Error && "code" in error && "syscall" in error) return { kind: "system" };
  if (error instanceof DOMException && error.name === "TimeoutError") return { kind: "timeout" };
  if (error instanceof TypeError) {
    const { message } = error;
    return ["fetch failed", "terminated"].includes(message) ? { kind: "no response" } : { kind: "misuse", message };
  }
  return { kind: "unexpected", message: String(error) };
};

/** The text of a new token is hidden from JSON, too. */
const plain = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "token" in value
    ? { ...value, token: (value as IssuedToken).token }
    : value;

/** The text that a log would show: the client, and the result or the failure. */
const shownInFull = (client: string, result: unknown): string =>
  inspect([clients.get(client)?.client, result], { depth: null, maxStringLength: null });

const tokenCalls: Command["call"][] = ["enrol", "rotate", "move", "revoke", "open_kept"];

for await (const line of createInterface({ input: process.stdin })) {
  const command: Command = JSON.parse(line);
  retries.length = 0;
  notes = { confirmations: [], waits: [], replaced: [], problems: [], expiring: [], warnings: [] };
  let outcome: object;
  let shown: string | undefined;
  try {
    const value = await run(command);
    outcome = { value: plain(value) ?? null };
    if (tokenCalls.includes(command.call)) shown = shownInFull(command.client, value);
  } catch (error) {
    outcome = { failure: failureOf(error) };
    if (tokenCalls.includes(command.call)) shown = shownInFull(command.client, error);
  }
  const noted = Object.entries({ ...notes, shown }).filter(([, value]) => value !== undefined && value.length > 0);
  if (noted.length > 0) outcome = { ...outcome, notes: Object.fromEntries(noted) };
  process.stdout.write(jsonLine({ ...outcome, retries }));
}
