import { beforeAll, vi } from "vitest";
import * as z from "zod/mini";
import * as actions from "../../../lambdas/admin/actions.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { type AdminHandler, serveAdmin } from "../../../lambdas/functions/serve-admin.ts";
import type { ApiEvent } from "../../../lambdas/middlewares/request.ts";
import type { HistoryStore } from "../../../lambdas/resources/history/history-table.ts";
import type { KeyStore } from "../../../lambdas/resources/keys/key-store.ts";
import { tables as declaredTables, type StoreName } from "../../../lambdas/resources/stores.ts";
import type { TokenRecord, TokenStore } from "../../../lambdas/resources/tokens/token-store.ts";
import type { UsageStore } from "../../../lambdas/resources/usage/usage-store.ts";
import { tableVariable } from "../../../lambdas/resources/uses.ts";
import { lambdaContext } from "../../../tools/support/events.ts";
import { newToken } from "../../../tools/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { captureLog } from "./captured-log.ts";
import { useDatabase } from "./database.ts";

const recordAnswer = z.looseObject({
  token_id: z.string(),
  ip: z.nullable(z.string()),
  issued_at: z.string(),
  expires_at: z.nullable(z.string()),
  token: z.optional(z.string()),
});

const httpAnswer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.optional(z.string()),
});

const captureNothing = () => "";

/** The admin function with its own tables, and the stores that it uses. */
export const useAdmin = () => {
  const database = useDatabase();
  let handler: AdminHandler | undefined;
  let tokens: TokenStore | undefined;
  let keys: KeyStore | undefined;
  let archive: HistoryStore | undefined;
  let usageStore: UsageStore | undefined;

  beforeAll(async () => {
    const place = async (name: StoreName) => {
      const { client, table: tableName } = await database.newTable(declaredTables[name]);
      vi.stubEnv(tableVariable(name), tableName);
      return { client, tableName };
    };
    usageStore = openStore(declaredTables.usage, await place("usage"));
    tokens = openStore(declaredTables.tokens, await place("tokens"));
    keys = openStore(declaredTables.keys, await place("keys"));
    archive = openStore(declaredTables.history, await place("history"));
    await place("notices");
    handler = serveAdmin(actions);
  });

  const ready = <Store>(opened: Store | undefined): Store => {
    if (!opened) throw new Error("the store is there in a hook or a test");
    return opened;
  };
  const store = (): TokenStore => ready(tokens);

  /** Invokes the admin function as an invocation with this id. */
  const invoke = async (payload: unknown, awsRequestId = "admin-1"): Promise<unknown> => {
    captureLog();
    return handler?.(payload, { ...lambdaContext, awsRequestId });
  };

  let logged = captureNothing;
  /** Sends the admin function the event that API Gateway makes of an HTTP request. */
  const send = async (event: ApiEvent) => {
    logged = captureLog().text;
    return z.parse(httpAnswer, await handler?.(event, lambdaContext));
  };

  return {
    store,
    keys: (): KeyStore => ready(keys),
    archive: (): HistoryStore => ready(archive),
    usage: (): UsageStore => ready(usageStore),
    invoke,
    send,
    /** The log of the function about the last request. */
    logged: () => logged(),
    /** Invokes an action that returns a token's record. */
    async act(payload: object, awsRequestId?: string) {
      return z.parse(recordAnswer, await invoke(payload, awsRequestId));
    },
    /** Stores a token with these fields, without the admin function. */
    async stored(fields: Partial<TokenRecord> = {}): Promise<TokenRecord> {
      const { record } = newToken(fields);
      await store().insert(record, noteOf("issued"));
      return record;
    },
  };
};
