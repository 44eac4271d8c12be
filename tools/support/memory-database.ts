import { once } from "node:events";
import type { Server } from "node:http";
import type { DatabaseAccess } from "cdk-local-runner";
import { createDatabaseServer, localAwsEnvironment } from "cdk-local-runner/parts";

interface MemoryDatabase {
  access: DatabaseAccess;
  server: Server;
  close(): void;
}

/** The embedded database, in memory. It accepts any credentials and does not check permissions. */
export const startMemoryDatabase = async (): Promise<MemoryDatabase> => {
  const { server } = createDatabaseServer({ environment: localAwsEnvironment() });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the embedded database has no port");
  return {
    access: { endpoint: `http://127.0.0.1:${address.port}`, region: "us-east-1" },
    server,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
