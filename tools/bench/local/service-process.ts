import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalService } from "cdk-local-runner";
import * as z from "zod/mini";
import { synthesise } from "../../../local/synthesise.ts";

/*
 * The local run in a separate process, with its own data: 200 keys and a token. Each message asks it for its memory
 * use. It ends together with the process that started it.
 */

const dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-local-"));
const service = await startLocalService({ port: 0, dataDirectory, assembly: () => synthesise(dataDirectory) });
const { payload } = await service.invoke("admin", { action: "issue", ip: "127.0.0.1" });
const { token } = z.object({ token: z.string() }).parse(JSON.parse(payload));
for (let index = 0; index < 200; index += 1) {
  const body = new URLSearchParams({ key_id: String(1_000_000 + index), v_code: "v".repeat(64) });
  const headers = { accept: "application/json", "x-token": token };
  const { status } = await fetch(`${service.baseUrl}/api/v1/key`, { method: "POST", headers, body });
  if (status !== 201) throw new Error(`A key could not be created: ${status}.`);
}

process.on("message", () => process.send?.({ megabytes: process.memoryUsage.rss() / 2 ** 20 }));
process.on("disconnect", async () => {
  await service.close();
  await rm(dataDirectory, { recursive: true });
  process.exit(0);
});
process.send?.({ baseUrl: service.baseUrl, token });
