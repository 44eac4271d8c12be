import { fork } from "node:child_process";
import { once } from "node:events";
import * as z from "zod/mini";
import { load } from "../local/load.ts";
import { type Chapter, digits, table, verdict } from "../report/table.ts";

const started = z.object({ baseUrl: z.string(), token: z.string() });
const memory = z.object({ megabytes: z.number() });

const paths = {
  "GET /token": "/api/v1/token",
  "GET /key/{key_id}": "/api/v1/key/1000007",
  "GET /key?limit=50": "/api/v1/key?limit=50",
};
const longRun = 200_000;
const parts = 10;

/** The whole local run under load: gateway, functions and embedded database, on the same machine as the load generator. */
export const localLoad = async (): Promise<Chapter> => {
  const child = fork(new URL("../local/service-process.ts", import.meta.url), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [first] = await once(child, "message");
  const { baseUrl, token } = started.parse(first);
  const call = { baseUrl, headers: { accept: "application/json", "x-token": token } };
  const megabytes = async (): Promise<string> => {
    child.send({});
    const [message] = await once(child, "message");
    return digits(memory.parse(message).megabytes);
  };

  try {
    const rows: string[][] = [];
    let best = 0;
    for (const [title, path] of Object.entries(paths)) {
      await load({ ...call, path, connections: 16, seconds: 2 });
      for (const connections of [1, 16, 64]) {
        const { requestsPerSecond, p50, p99 } = await load({ ...call, path, connections, seconds: 3 });
        best = Math.max(best, requestsPerSecond);
        rows.push([title, String(connections), digits(requestsPerSecond), digits(p50), digits(p99)]);
      }
    }
    const held = [await megabytes()];
    for (let part = 0; part < parts; part += 1) {
      await load({ ...call, path: paths["GET /key/{key_id}"], connections: 16, requests: longRun / parts });
      held.push(await megabytes());
    }
    const text = [
      "## The local run under load",
      table(["", "connections", "requests/s", "p50, ms", "p99, ms"], rows),
      `Goal: at least 1,000 authenticated requests/s: ${digits(best)}, ${verdict(best >= 1_000)}.`,
      `Resident memory, MB, before and after each tenth of ${longRun / 1_000},000 requests: ${held.join(", ")}.`,
    ];
    return { name: "local", text: text.join("\n\n") };
  } finally {
    child.disconnect();
    await once(child, "exit");
  }
};
