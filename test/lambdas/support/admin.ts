import { beforeAll } from "vitest";
import * as z from "zod/mini";
import * as actions from "../../../lambdas/admin/actions.ts";
import { type AdminHandler, serveAdmin } from "../../../lambdas/admin/serve-admin.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { lambdaContext } from "../../../tools/support/events.ts";
import { newToken } from "../../kit/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { captureLog } from "./outcomes.ts";
import { useStores } from "./stores.ts";

const recordAnswer = z.looseObject({
  token_id: z.string(),
  ip: z.nullable(z.string()),
  issued_at: z.string(),
  expires_at: z.nullable(z.string()),
  token: z.optional(z.string()),
});

/** The admin function with separate tables, and the stores that it uses. */
export const useAdmin = () => {
  const { store } = useStores("usage", "tokens", "keys", "history", "notices");
  let handler: AdminHandler | undefined;
  beforeAll(() => {
    handler = serveAdmin(actions);
  });

  /** Invokes the admin function with this invocation id. */
  const invoke = async (payload: unknown, awsRequestId = "admin-1"): Promise<unknown> => {
    captureLog();
    return handler?.(payload, { ...lambdaContext, awsRequestId });
  };

  return {
    store: () => store("tokens"),
    keys: () => store("keys"),
    archive: () => store("history"),
    usage: () => store("usage"),
    invoke,
    /** Invokes an action that returns a token's record. */
    async act(payload: object, awsRequestId?: string) {
      return z.parse(recordAnswer, await invoke(payload, awsRequestId));
    },
    /** Stores a token with these fields, bypassing the admin function. */
    async stored(fields: Partial<TokenRecord> = {}): Promise<TokenRecord> {
      const { record } = newToken(fields);
      await store("tokens").insert(record, noteOf("issued"));
      return record;
    },
  };
};
