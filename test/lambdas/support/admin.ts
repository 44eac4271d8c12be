import { beforeAll, vi } from "vitest";
import * as z from "zod/mini";
import * as actions from "../../../lambdas/admin/actions.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { type AdminHandler, serveAdmin } from "../../../lambdas/functions/serve-admin.ts";
import type { ApiEvent } from "../../../lambdas/middlewares/request.ts";
import * as declaredTables from "../../../lambdas/resources/tables.ts";
import type { TokenRecord, TokenStore } from "../../../lambdas/resources/tokens/token-store.ts";
import type { UsageStore } from "../../../lambdas/resources/usage/usage-store.ts";
import { lambdaContext } from "../../../tools/support/events.ts";
import { newToken } from "../../../tools/support/tokens.ts";
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
  let usageStore: UsageStore | undefined;

  beforeAll(async () => {
    const { client, table } = await database.newTable("token_id");
    vi.stubEnv("TOKENS_TABLE", table);
    vi.stubEnv("KEYS_TABLE", (await database.newTable("key_id")).table);
    const usage = await database.newTable("subject", "entry");
    vi.stubEnv("USAGE_TABLE", usage.table);
    usageStore = openStore(declaredTables.usage, { client: usage.client, tableName: usage.table });
    tokens = openStore(declaredTables.tokens, { client, tableName: table });
    handler = serveAdmin(actions);
  });

  const store = (): TokenStore => {
    if (!tokens) throw new Error("the store is there in a hook or a test");
    return tokens;
  };

  const usage = (): UsageStore => {
    if (!usageStore) throw new Error("the store is there in a hook or a test");
    return usageStore;
  };

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
    usage,
    invoke,
    send,
    /** What the function has logged about the last request. */
    logged: () => logged(),
    /** Invokes an action that returns a token's record. */
    async act(payload: object, awsRequestId?: string) {
      return z.parse(recordAnswer, await invoke(payload, awsRequestId));
    },
    /** Stores a token with these fields, without the admin function. */
    async stored(fields: Partial<TokenRecord> = {}): Promise<TokenRecord> {
      const { record } = newToken(fields);
      await store().insert(record);
      return record;
    },
  };
};
