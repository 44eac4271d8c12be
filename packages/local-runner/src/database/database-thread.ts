import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { closeServer } from "../support/http-listener.ts";
import { codeOf, messageOf } from "../support/local-error.ts";
import type { DatabaseReply, DatabaseRequest, DatabaseThreadData } from "./database-messages.ts";
import { openDataFolder } from "./storage/data-folder.ts";
import { journalDynalite } from "./storage/journaled-dynalite.ts";

const { dataDirectory, host, port, environment }: DatabaseThreadData = workerData;
// Stored values are small buffers. Each would keep a slab of Node's pool in memory, 64 KB for perhaps 200 bytes.
Buffer.poolSize = 0;
const reply = (message: DatabaseReply) => parentPort?.postMessage(message);

try {
  const { journalPath, unlock } = await openDataFolder(dataDirectory);
  const storage = journalDynalite(journalPath);
  // Loads dynalite, which must find the journal in place.
  const { createDatabaseServer } = await import("./database-server.ts");
  const { server, accessControl } = createDatabaseServer({
    environment,
    storage,
    onUnsupported: (request) => reply({ kind: "unsupported", ...request }),
  });
  await storage.load();
  server.listen(port, host);
  await once(server, "listening");

  parentPort?.on("message", async (request: DatabaseRequest) => {
    switch (request.kind) {
      case "rights":
        accessControl.enforce(request.rightsOf);
        return reply({ kind: "enforced" });
      case "used rights":
        return reply({ kind: "used rights", usedRights: accessControl.usedRights() });
      case "close":
        await closeServer(server, 100);
        await unlock();
        reply({ kind: "closed" });
        return parentPort?.close();
    }
  });
  const address = server.address();
  reply({ kind: "listening", port: typeof address === "object" && address ? address.port : port });
} catch (error) {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  reply({ kind: "cannot start", code: codeOf(cause), message: messageOf(cause) });
}
