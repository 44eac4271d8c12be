import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { closeServer } from "../support/http-listener.ts";
import { codeOf, messageOf } from "../support/local-error.ts";
import type { DatabaseReply, DatabaseRequest, DatabaseThreadData } from "./database-messages.ts";
import { createDatabaseServer } from "./database-server.ts";
import { openDataFolder } from "./folder/data-folder.ts";

const { dataDirectory, host, port, environment }: DatabaseThreadData = workerData;
const reply = (message: DatabaseReply) => parentPort?.postMessage(message);
const fail = (kind: "cannot start" | "failed", error: unknown) =>
  reply({ kind, code: codeOf(error), message: messageOf(error) });

// A power cut loses at most the writes since the last sync.
const syncMilliseconds = 1000;

try {
  const { storage, close } = await openDataFolder(dataDirectory);
  const { server, accessControl } = createDatabaseServer({
    environment,
    storage,
    onUnsupported: (request) => reply({ kind: "unsupported", ...request }),
    onFailure: (error) => fail("failed", error),
  });
  server.listen(port, host);
  await once(server, "listening");

  let isOpen = true;
  const verifyAll = async () => {
    for (const _ of storage.verify()) {
      await nextTurn();
      if (!isOpen) return;
    }
  };
  let syncing = Promise.resolve();
  const timer = setInterval(() => {
    syncing = storage.sync().catch((error) => fail("failed", error));
  }, syncMilliseconds);

  parentPort?.on("message", async (request: DatabaseRequest) => {
    switch (request.kind) {
      case "rights":
        accessControl.enforce(request.rightsOf);
        return reply({ kind: "enforced" });
      case "used rights":
        return reply({ kind: "used rights", usedRights: accessControl.usedRights() });
      case "close":
        isOpen = false;
        clearInterval(timer);
        await closeServer(server, 100);
        await syncing;
        close();
        reply({ kind: "closed" });
        return parentPort?.close();
    }
  });
  const address = server.address();
  reply({ kind: "listening", port: typeof address === "object" && address ? address.port : port });
  await verifyAll().catch((error) => fail("failed", error));
} catch (error) {
  fail("cannot start", error instanceof Error && error.cause !== undefined ? error.cause : error);
}
