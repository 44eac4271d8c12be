import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { projectCopy, run } from "./project-fixture.ts";

const endpointFile = "lambdas/v1/get-token.ts";

/** `npm run dev` in a copy of the project. */
const startDevelopment = async () => {
  const [project, port] = [await projectCopy(), await freePort()];
  const service = run(project, ["local/start.mjs", "--watch"], { PORT: String(port) });
  await service.says("Stop: Ctrl-C");
  const [token = ""] = /itk_\w{76,}/.exec(service.output()) ?? [];

  const request = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { accept: "application/json", "x-token": token, ...init.headers },
    });
  const original = await readFile(join(project, endpointFile), "utf8");
  return {
    request,
    seenIp: async () => ((await (await request("/api/v1/token")).json()) as { seen_ip?: string }).seen_ip,
    output: service.output,
    /** Saves the endpoint of the token with one thing replaced. */
    edit: (text: string, replacement: string) =>
      writeFile(join(project, endpointFile), original.replace(text, replacement)),
  };
};

const patience = { timeout: 60_000 };

test("a change takes effect in the running service, whose data and ports stay", { timeout: 180_000 }, async () => {
  const { request, seenIp, output, edit } = await startDevelopment();
  const form = new URLSearchParams({ key_id: "kept", v_code: "v".repeat(64) });
  expect((await request("/api/v1/key", { method: "POST", body: form })).status).toBe(201);
  expect(await seenIp()).toBe("127.0.0.1");

  // The code of an endpoint.
  await edit("caller.ip", '"edited"');
  await expect.poll(seenIp, patience).toBe("edited");

  // Code that does not compile.
  await edit("caller.ip", "caller.(");
  await expect.poll(output, patience).toContain("The change does not compile.");
  expect(await seenIp()).toBe("edited");

  // Code that fails.
  await edit("const { token_id", 'if (caller) throw new Error("broken");\n    const { token_id');
  await expect.poll(async () => (await request("/api/v1/token")).status, patience).toBe(500);
  await expect.poll(output, patience).toMatch(/Error: broken\\n\s+at .*lambdas\/v1\/get-token\.ts:\d+/);

  // What the template says.
  await edit('path: "/token"', 'path: "/whoami"');
  await expect.poll(output, patience).toMatch(/The template has changed.*routes added: GET \/api\/v1\/whoami/s);
  expect((await request("/api/v1/whoami")).status).toBe(200);
  expect((await request("/api/v1/token")).status).toBe(404);

  expect((await request("/api/v1/key/kept")).status).toBe(200);
  const page = await request("/", { headers: { accept: "text/html" } });
  expect(await page.text()).toContain("/@vite/client");
});
