import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import type { KeyStore } from "../../../lambdas/resources/keys/key-store.ts";
import type { LimitStore } from "../../../lambdas/resources/limits/limit-store.ts";
import * as declaredTables from "../../../lambdas/resources/tables.ts";
import type { TokenRecord, TokenStore } from "../../../lambdas/resources/tokens/token-store.ts";
import { startMemoryDatabase } from "../../../tools/support/memory-database.ts";
import { inMs, newToken } from "../../../tools/support/tokens.ts";
import { startService, type TestService } from "../../support/service.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";

export interface FaultyService {
  service: TestService;
  proxy: FaultProxy;
  /** The stores as they are, past the proxy. */
  keys: KeyStore;
  tokens: TokenStore;
  limits: LimitStore;
  /** Stores a token of 127.0.0.1 that was used just now. */
  storedToken(fields?: Partial<TokenRecord>): Promise<{ text: string; record: TokenRecord }>;
  close(): Promise<void>;
}

/** The service, as it is deployed, with a fault-injecting proxy between its functions and their database. */
export const startFaultyService = async (): Promise<FaultyService> => {
  const database = await startMemoryDatabase();
  const proxy = await startFaultProxy(database.access.endpoint);
  const service = await startService({ externalDatabase: { ...database.access, endpoint: proxy.url } });
  const client = new DynamoDBClient({
    ...database.access,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const tableOf = (kind: RegExp) => service.tableNames.find((name) => kind.test(name)) ?? "";
  const tokens = openStore(declaredTables.tokens, { client, tableName: tableOf(/token/i) });

  return {
    service,
    proxy,
    keys: openStore(declaredTables.keys, { client, tableName: tableOf(/key/i) }),
    tokens,
    limits: openStore(declaredTables.limits, { client, tableName: tableOf(/limit/i) }),
    async storedToken(fields = {}) {
      const token = newToken({ ip: "127.0.0.1", last_used_at: inMs(0), ...fields });
      await tokens.insert(token.record);
      return token;
    },
    async close() {
      await service.close();
      await proxy.close();
      client.destroy();
      database.close();
    },
  };
};
