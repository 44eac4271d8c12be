import { beforeAll } from "vitest";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { parseEntry } from "../../../lambdas/resources/history/change-entry.ts";
import type { Holder } from "../../../lambdas/resources/tokens/authenticate.ts";
import type { TokenRecord, TokenStore } from "../../../lambdas/resources/tokens/token-store.ts";
import { tokens } from "../../../lambdas/resources/tokens/tokens-table.ts";
import { noteOf } from "../../support/authors.ts";
import { useDatabase } from "./database.ts";

/** The store of tokens, on a table of its own. */
export const useTokenStore = () => {
  const database = useDatabase();
  let opened: TokenStore | undefined;

  beforeAll(async () => {
    const { client, table } = await database.newTable("token_id");
    opened = openStore(tokens, { client, tableName: table });
  });

  const store = (): TokenStore => {
    if (!opened) throw new Error("the store is there in a hook or a test");
    return opened;
  };

  const find = async (tokenId: string): Promise<TokenRecord> => {
    const record = await store().find(tokenId);
    if (!record) throw new Error("there is no such token");
    return record;
  };

  return {
    store,
    find,

    /** Stores a record, and returns it with the time of that change. */
    async stored(record: TokenRecord): Promise<TokenRecord> {
      await store().insert(record, noteOf("issued"));
      return find(record.token_id);
    },

    /** The last change in the history of a token. */
    async lastChange(tokenId: string) {
      const { entries } = (await store().history(tokenId)) ?? { entries: [] };
      return parseEntry(entries.at(-1) ?? "");
    },
  };
};

/** Somebody who sends the secret of this token from this address. */
export const holderOf = (token: TokenRecord, ip: string, secret = "secret"): Holder => ({
  token,
  ip,
  secret,
  author: { by: `token:${token.token_id}`, from: ip, requestId: "request" },
});

/** The log's fact about somebody who sends a secret from an address that is not its own. */
export const wrongAddress = { leak_signal: "right secret, wrong address" };

/** The refusal of a client that wants to change this token or invitation. */
export const refusal = (
  code: string,
  { token_id }: TokenRecord,
  { facts, ...options }: { values?: object; facts?: object } = {},
) => ({ outcome: "refused", code, options: { ...options, facts: { token_id, ...facts } } });
