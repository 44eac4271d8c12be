import { once } from "node:events";
import { createServer, type Server } from "node:net";

/**
 * Finds a port that is free together with the four ports after it. The next port stays in use until this process ends, so that no
 * other test gets one of these ports before a service opens them.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 20_000 + 6 * Math.floor(Math.random() * 2_000);
    const [claim, ...opened] = await Promise.all([5, 0, 1, 2, 3, 4].map((more) => open(port + more)));
    for (const server of opened) if (server) await close(server);
    if (claim && opened.every(Boolean)) return port;
    if (claim) await close(claim);
  }
};

/** Returns a server on a port, or undefined if the port is in use. */
const open = async (port: number): Promise<Server | undefined> => {
  const server = createServer().unref();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
};

const close = async (server: Server): Promise<void> => {
  server.close();
  await once(server, "close");
};
