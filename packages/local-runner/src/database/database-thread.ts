import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { ClassicLevel } from "classic-level";
import { closeServer } from "../support/http-listener.ts";
import { codeOf, messageOf } from "../support/local-error.ts";
import type { DatabaseReply, DatabaseRequest, DatabaseThreadData } from "./database-messages.ts";
import { createDatabaseServer } from "./database-server.ts";

const { path, host, port, environment }: DatabaseThreadData = workerData;
const reply = (message: DatabaseReply) => parentPort?.postMessage(message);

// If dynalite cannot open its folder, it answers every request with a failure that does not say why. So the folder is
// opened once beforehand to learn the reason.
const assertUsable = async (): Promise<void> => {
  const probe = new ClassicLevel(path);
  await probe.open();
  for (const iterator of [probe.keys(), probe.values()]) {
    closeWhenRead(Object.getPrototypeOf(iterator));
    await iterator.close();
  }
  await probe.close();
};

// dynalite 4 ends an iterator by `return`, which the iterators of this LevelDB lack: each query would leave one open
// forever, with some 10 KB and a snapshot.
const closeWhenRead = (iteratorPrototype: object): void => {
  Object.defineProperty(iteratorPrototype, "return", {
    configurable: true,
    value(this: { close(): Promise<void> }) {
      return this.close();
    },
  });
};

// A read takes some microseconds. Waking a thread of the pool for it takes many times as long.
const readInThisThread = (): void => {
  const read = ClassicLevel.prototype.get;
  Object.defineProperty(ClassicLevel.prototype, "get", {
    configurable: true,
    // dynalite replaces the method too.
    writable: true,
    async value(this: ClassicLevel, ...words: Parameters<typeof read>) {
      return this.status === "open" ? this.getSync(...words) : read.apply(this, words);
    },
  });
};

try {
  await assertUsable();
  readInThisThread();
  const { server, accessControl } = createDatabaseServer({
    path,
    environment,
    onUnsupported: (request) => reply({ kind: "unsupported", ...request }),
  });
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
