import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { DeleteTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { createDatabaseServer, localAwsEnvironment } from "cdk-local-runner/parts";
import { afterAll, beforeAll, vi } from "vitest";
import { type StoreName, type Stores, tables } from "../../../lambdas/domain/built-in-stores.ts";
import { parseEntry } from "../../../lambdas/domain/history/change-entry.ts";
import type { Holder } from "../../../lambdas/domain/tokens/authenticate.ts";
import type { Phase } from "../../../lambdas/domain/tokens/token-state.ts";
import type { TokenRecord, TokenStore } from "../../../lambdas/domain/tokens/token-store.ts";
import { hashSecret } from "../../../lambdas/domain/tokens/token-value.ts";
import { tokens } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { type Item, toItem, type Values } from "../../../lambdas/dynamodb/records.ts";
import type { AnyTable } from "../../../lambdas/dynamodb/table.ts";
import { tableVariable } from "../../../lambdas/dynamodb/uses.ts";
import { createTable } from "../../kit/support/create-table.ts";
import { listen } from "../../kit/support/listen.ts";
import { absentId, decided, hourMs, inMs, newInvitation, newToken, requestField } from "../../kit/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";

const anyCredentials = { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };

/**
 * Tables for the tests of one file: in the DynamoDB that `AWS_ENDPOINT_URL_DYNAMODB` names (with the region and the credentials
 * of the environment, if any), or else in an embedded one in memory, which refuses requests that it does not handle exactly.
 * They are deleted afterwards.
 */
export const useDatabase = () => {
  const names: string[] = [];
  let embedded: Server | undefined;
  let client: DynamoDBClient | undefined;

  const connect = async (): Promise<DynamoDBClient> => {
    // The local run's credentials, because a local database accepts any.
    for (const [name, value] of Object.entries(anyCredentials)) vi.stubEnv(name, process.env[name] ?? value);
    if (!process.env.AWS_ENDPOINT_URL_DYNAMODB) embedded = await startEmbedded();
    // More patient than the functions' client, so that a slow machine does not look like a lost response.
    client = new DynamoDBClient({ maxAttempts: 3 });
    return client;
  };

  afterAll(async () => {
    for (const TableName of names) await client?.send(new DeleteTableCommand({ TableName }));
    client?.destroy();
    embedded?.close();
  });

  return {
    async newTable(declaration: AnyTable) {
      const connected = client ?? (await connect());
      const tableName = `test-${declaration.partitionKey}-${randomUUID()}`;
      await createTable(connected, tableName, declaration);
      names.push(tableName);
      return { client: connected, tableName };
    },
  };
};

/** The store of a declared table on a separate table. Without a `database`, it can only be opened outside of tests. */
export const openTestStore = async <Declaration extends AnyTable>(
  declaration: Declaration,
  database = useDatabase(),
) => {
  const { client, tableName } = await database.newTable(declaration);
  const open = (client: DynamoDBClient) => openStore(declaration, { client, tableName });
  return {
    store: open(client),
    client,
    tableName,
    database,
    /** Another store on the same table. */
    open,
    /** Stores an item without using the store. */
    put: (Item: Item) => client.send(new PutItemCommand({ TableName: tableName, Item })),
    /** Returns the stored item with this key, or an empty object. */
    async itemOf(key: Values): Promise<Item> {
      const command = new GetItemCommand({ TableName: tableName, Key: toItem(key), ConsistentRead: true });
      return (await client.send(command)).Item ?? {};
    },
  };
};

const startEmbedded = async (): Promise<Server> => {
  const { server } = createDatabaseServer({ environment: localAwsEnvironment() });
  const url = await listen(server);
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: url, ...anyCredentials, AWS_PROFILE: undefined };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return server;
};

/** Creates stores on separate tables, which the environment names for the functions under test. */
export const useStores = (...names: StoreName[]) => {
  const database = useDatabase();
  const opened: Partial<Stores> = {};
  const places = new Map<StoreName, Awaited<ReturnType<typeof openTestStore>>>();

  beforeAll(async () => {
    for (const name of names) {
      const place = await openTestStore<AnyTable>(tables[name], database);
      places.set(name, place);
      vi.stubEnv(tableVariable(name), place.tableName);
      Object.assign(opened, { [name]: place.store });
    }
  });

  const ready = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error("the store is there in a hook or a test");
    return value;
  };
  return {
    store: <Name extends StoreName>(name: Name): Stores[Name] => ready<Stores[Name]>(opened[name]),
    /** Returns the table of a store. */
    tableOf: (name: StoreName) => ready(places.get(name)),
  };
};

/** The address of new tokens, the requested address, and a third one. */
export const [home, away, elsewhere]: [string, string, string] = ["198.51.100.7", "203.0.113.50", "192.0.2.1"];

/** Creates a token store on a separate table. */
export const openTokenStore = async () => {
  const table = await openTestStore(tokens);
  const { store } = table;

  const find = async (tokenId: string): Promise<TokenRecord> => {
    const record = await store.find(tokenId);
    if (!record) throw new Error("there is no such token");
    return record;
  };
  /** Stores a record, and returns it with the time of that change. */
  const stored = async (record: TokenRecord): Promise<TokenRecord> => {
    await store.insert(record, noteOf("issued"));
    return find(record.token_id);
  };

  return {
    ...table,
    find,
    stored,
    issue: (fields: Partial<TokenRecord> = {}) => stored(newToken(fields).record),
    invite: (fields: Partial<TokenRecord> = {}) => stored(newInvitation(fields).record),
    /** Returns the last change in a token's history. */
    async lastChange(tokenId: string) {
      const { entries } = (await store.history(tokenId)) ?? { entries: [] };
      return parseEntry(entries.at(-1) ?? "");
    },
  };
};

const invitation = { invitation_hash: hashSecret("invitation"), ip: "::" };
const requested = (...fields: Parameters<typeof requestField>) => ({ request: requestField(...fields) });

const fieldsIn: Record<Phase, () => Partial<TokenRecord>> = {
  invited: () => ({ ...invitation, expires_at: inMs(hourMs) }),
  awaiting_confirmation: () => ({ ...invitation, expires_at: inMs(hourMs), ...requested() }),
  active: () => ({}),
  moving: requested,
  move_confirmed: () => requested(decided("confirmed")),
  rotated: () => ({ successor_id: absentId(), expires_at: inMs(hourMs) }),
  replaced: () => ({ successor_id: absentId(), expires_at: inMs(-1) }),
  expired: () => ({ expires_at: inMs(-1) }),
  revoked: () => ({ revoked_at: inMs(-1), revoked_by: "admin" }),
};

/** Returns a new token that is now in this phase, with these fields. */
export const recordIn = (phase: Phase, fields: Partial<TokenRecord> = {}): TokenRecord =>
  newToken({ ...fieldsIn[phase](), ...fields }).record;

/** Returns the holder who sends this token's secret from this address. */
export const holderOf = (token: TokenRecord, ip: string, secret = "secret"): Holder => ({
  token,
  client: token.client,
  ip,
  secret,
  author: { by: `token:${token.token_id}`, from: ip, requestId: "request" },
});

/** Creates an in-memory token lookup that counts its calls. */
export const lookUpIn = (...records: TokenRecord[]) => {
  const asked: string[] = [];
  const find: TokenStore["find"] = async (tokenId) => {
    asked.push(tokenId);
    return records.find(({ token_id }) => token_id === tokenId);
  };
  return { find, asked };
};
