import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort, type Run, start } from "../local/project-fixture.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
const killAfterKeys = 150;

let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-durability-"));
});
afterAll(() => rm(dataDirectory, { recursive: true }));

test("a kill -9 amid writes loses nothing that was acknowledged, and the next start works", {
  timeout: 120_000,
}, async () => {
  const port = await freePort();
  const environment = { DATA_DIR: dataDirectory };
  const url = `http://127.0.0.1:${port}/api/v1/key`;

  const first = start(project, port, environment);
  const headers = { accept: "application/json", "x-token": tokenIn(await first.says("Stop: ")) };
  const acknowledged = await createUntilKilled(first, url, headers);
  expect(acknowledged.size).toBeGreaterThanOrEqual(killAfterKeys);

  const second = start(project, port, environment);
  await second.says("Stop: ");
  for (const [keyId, body] of acknowledged) {
    const answer = await fetch(`${url}/${keyId}`, { headers });
    expect(await answer.text()).toBe(body);
  }
});

const tokenIn = (output: string): string => /itk_\w+/.exec(output)?.[0] ?? "";

/** Creates keys with four clients at once and kills the service amid them; answers what was acknowledged. */
const createUntilKilled = async ({ child, ended }: Run, url: string, headers: Record<string, string>) => {
  const acknowledged = new Map<string, string>();
  const client = async (name: string) => {
    for (let count = 0; child.signalCode === null; count += 1) {
      const keyId = `${name}-${count}`;
      const body = new URLSearchParams({ key_id: keyId, v_code: name.repeat(64) });
      const answer = await fetch(url, { method: "POST", headers, body }).catch(() => undefined);
      const text = await answer?.text().catch(() => undefined);
      if (answer?.status === 201 && text !== undefined) acknowledged.set(keyId, text);
      if (acknowledged.size === killAfterKeys) child.kill("SIGKILL");
    }
  };
  await Promise.all([..."abcd"].map(client));
  await ended;
  return acknowledged;
};
