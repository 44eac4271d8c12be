import { once } from "node:events";
import { createServer } from "node:net";

/** Finds a port that is free together with the four ports after it. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const free = await Promise.all([0, 1, 2, 3, 4].map((more) => isFree(port + more)));
    if (free.every(Boolean)) return port;
  }
};

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
};
