import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { type ServiceProcess, serviceProcess } from "../../tools/soak/process.ts";
import { freePort } from "../../tools/support/free-port.ts";

const killAfterKeys = 150;

let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-durability-"));
});
afterAll(() => rm(dataDirectory, { recursive: true }));

test("a kill -9 in the middle of writes loses nothing that was acknowledged", async () => {
  const port = await freePort();
  const service = serviceProcess({ port, dataDirectory, assemblyDirectory: inject("assemblyDirectory") });
  onTestFinished(() => service.kill());
  await service.start();
  const headers = { accept: "application/json", "x-token": await issueToken(port) };
  const url = `http://127.0.0.1:${port}/api/v1/key`;

  const acknowledged = await createUntilKilled(service, url, headers);
  expect(acknowledged.size).toBeGreaterThanOrEqual(killAfterKeys);

  await service.start();
  for (const [keyId, body] of acknowledged) {
    const answer = await fetch(`${url}/${keyId}`, { headers });
    expect(await answer.text()).toBe(body);
  }
});

const issueToken = async (port: number): Promise<string> => {
  const answer = await fetch(`http://127.0.0.1:${port + 1}/2015-03-31/functions/admin/invocations`, {
    method: "POST",
    body: JSON.stringify({ action: "issue", ip: "127.0.0.1" }),
  });
  const { token } = (await answer.json()) as { token: string };
  return token;
};

/** Creates keys with four concurrent clients and kills the service in the middle. Returns the acknowledged keys. */
const createUntilKilled = async (service: ServiceProcess, url: string, headers: Record<string, string>) => {
  const acknowledged = new Map<string, string>();
  let killing: Promise<void> | undefined;
  const client = async (name: string) => {
    for (let count = 0; killing === undefined; count += 1) {
      const keyId = `${name}-${count}`;
      const body = new URLSearchParams({ key_id: keyId, v_code: name.repeat(64) });
      const answer = await fetch(url, { method: "POST", headers, body }).catch(() => undefined);
      const text = await answer?.text().catch(() => undefined);
      if (answer?.status === 201 && text !== undefined) acknowledged.set(keyId, text);
      if (acknowledged.size === killAfterKeys) killing ??= service.kill();
    }
  };
  await Promise.all([..."abcd"].map(client));
  await killing;
  return acknowledged;
};
