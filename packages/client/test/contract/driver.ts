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
} from "../../src/index.ts";
import { openKeptClient, TokenFileError } from "../../src/keeper.ts";
import { type GetJwt, githubActionsJwt, jwtFile, jwtVariable, openWorkloadClient } from "../../src/workload.ts";
import { interrupt } from "./interrupt.ts";
import {
  type Command,
  type Condition,
  type Failure,
  jsonLine,
  type Notes,
  type Retried,
  type WorkloadOptions,
} from "./protocol.ts";

/*
 * Makes the calls of the contract suite with the TypeScript client: a JSON command per line in, a JSON outcome per line out.
 */

type Key = Awaited<ReturnType<typeof readKey>>;

type Opening = Extract<Command, { call: "open" }>;
type OpeningKept = Extract<Command, { call: "open_kept" }>;

interface Opened {
  client: IntegrationClient;
  options: IntegrationClientOptions;
}

const clients = new Map<string, Opened>();
const kept = new Map<string, unknown>();
const retries: Retried[] = [];

let notes: Required<Omit<Notes, "shown">>;

/** Converts a command's options to their TypeScript names and units. */
const optionsOf = (words: object): object =>
  Object.fromEntries(
    Object.entries(words).map(([name, value]) => {
      const isShort = /^(timeout|maximum_wait)_seconds$/.test(name);
      const camelCase = name
        .replace("seconds", isShort ? "milliseconds" : "$&")
        .replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());
      return [camelCase, isShort ? value * 1000 : value];
    }),
  );

const openClient = ({ client, call: _, token, base_url: baseUrl, retry, on_token_expiring, ...more }: Opening) => {
  let retrying = false;
  const options: IntegrationClientOptions = {
    baseUrl,
    token,
    retry: {
      ...optionsOf(retry ?? {}),
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
    ...optionsOf(more),
  };
  clients.set(client, { client: createIntegrationClient(options), options });
};

const reactions: Record<"noting" | "failing", OnTokenExpiring> = {
  noting: ({ expiresAt, rotation = null }) =>
    void notes.expiring.push({ expires_at: expiresAt.toISOString(), rotation }),
  failing: () => {
    throw new Error("The mail was not sent.");
  },
};

console.warn = (...words) => void notes.warnings.push(format(...words));

const onConfirmation = (confirmation: Confirmation) => void notes.confirmations.push(confirmation);

const openKept = async ({ client, file, maximum_age_days: days, ...more }: OpeningKept, opened: Opened) => {
  const keptClient = await openKeptClient({
    ...opened.options,
    file,
    onConfirmation,
    onReplaced: ({ token_id }) => void notes.replaced.push(token_id),
    onTokenExpiring: reactions.noting,
    onProblem: (error) => void notes.problems.push(failureOf(error)),
    ...(days !== undefined && { maximumAgeDays: days ?? Number.POSITIVE_INFINITY }),
    ...optionsOf(more),
  });
  clients.set(client, { ...opened, client: keptClient });
};

const readKey = (client: IntegrationClient, key_id: string) =>
  client.GET("/api/v1/key/{key_id}", { params: { path: { key_id } } });

const run = async (command: Command): Promise<unknown> => {
  if (command.call === "open") return openClient(command);
  if (command.call === "interrupt") return interrupt(command);
  const opened = clients.get(command.client);
  if (opened === undefined) throw new Error(`${command.client} is not open`);
  const { client } = opened;
  switch (command.call) {
    case "open_kept":
      return openKept(command, opened);
    case "open_workload": {
      Object.assign(process.env, command.environment);
      const jwt = jwtOf(command);
      const workload = { ...client, ...openWorkloadClient({ ...opened.options, jwt }) };
      return void clients.set(command.client, { ...opened, client: workload });
    }
    case "enrol":
      return enrol({ ...opened.options, onConfirmation, invitation: command.invitation });
    case "rotate":
      return client.rotate({ graceSeconds: command.grace_seconds });
    case "move":
      return client.move({ onConfirmation });
    case "revoke":
      return client.revoke();
    case "get_token":
      return client.GET("/api/v1/token");
    case "get_token_at_once":
      return Promise.all(Array.from({ length: 8 }, () => client.GET("/api/v1/token")));
    case "create_key": {
      const { key_id, v_code } = command;
      return client.POST("/api/v1/key", { body: { key_id, v_code } });
    }
    case "get_key":
      return readKey(client, command.key_id);
    case "replace_key": {
      const { key_id, v_code } = command;
      const init = { ...condition(command), params: { path: { key_id } }, body: { v_code } };
      return client.PUT("/api/v1/key/{key_id}", init);
    }
    case "delete_key": {
      const params = { path: { key_id: command.key_id } };
      return client.DELETE("/api/v1/key/{key_id}", { ...condition(command), params });
    }
    case "pages": {
      const query = command.limit === undefined ? {} : { limit: command.limit };
      return firstOf(client.pages("/api/v1/key", { params: { query } }), command.take);
    }
    case "changes": {
      const { cursor, limit, take } = command;
      const query = limit === undefined ? {} : { limit };
      return firstOf(client.changes("/api/v1/key/changes", { cursor, params: { query } }), take);
    }
  }
};

const firstOf = async <Page>(pages: AsyncIterable<Page>, count: number | undefined): Promise<Page[]> => {
  const found: Page[] = [];
  for await (const page of pages) {
    found.push(page);
    if (found.length === count) break;
  }
  return found;
};

const jwtOf = ({ file, variable, is_stuck }: WorkloadOptions): GetJwt => {
  const jwt = file ? jwtFile(file) : variable ? jwtVariable(variable) : githubActionsJwt();
  let isStuck = is_stuck ?? false;
  return async (request) => {
    if (!isStuck) return is_stuck ? "eyJ1" : jwt(request);
    isStuck = false;
    return new Promise(() => {});
  };
};

const condition = ({ if_unchanged: text }: Condition): { ifUnchanged?: Key } => {
  if (text === undefined) return {};
  const [, way, name = text] = /^(copy|item) of (.*)/.exec(text) ?? [];
  const value = kept.get(name);
  if (way === "item") return { ifUnchanged: (value as Key[][]).flat()[0] as Key };
  return { ifUnchanged: way === "copy" ? { ...(value as Key) } : (value as Key) };
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

/** JSON hides the value of a new token, too. */
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
  let result: unknown;
  try {
    result = await run(command);
    if ("keep" in command) kept.set(command.keep ?? "", result);
    outcome = { value: plain(result) ?? null };
  } catch (error) {
    result = error;
    outcome = { failure: failureOf(error) };
  }
  const shown = tokenCalls.includes(command.call) ? shownInFull(command.client, result) : undefined;
  const noted = Object.entries({ ...notes, shown }).filter(([, value]) => value !== undefined && value.length > 0);
  if (noted.length > 0) outcome = { ...outcome, notes: Object.fromEntries(noted) };
  process.stdout.write(jsonLine({ ...outcome, retries }));
}
