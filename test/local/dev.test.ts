import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { projectCopy, run } from "./project-fixture.ts";

const endpointFile = "lambdas/v1/get-token.ts";

/** The endpoints that the test needs. More endpoints make each rebuild slower. */
const endpoints = ["createKey", "getKey", "getToken", "revokeToken"];

/** `npm run dev` in a copy of the project. */
const startDevelopment = async () => {
  const [project, port] = [await projectCopy(), await freePort()];
  for (const list of ["keys", "tokens"]) await keepEndpoints(join(project, `lambdas/v1/${list}.ts`));
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
    /** Saves the token endpoint with one replacement. */
    edit: (text: string, replacement: string) => save(join(project, endpointFile), original.replace(text, replacement)),
    /** Saves another file with one replacement. */
    editFile: async (file: string, text: string, replacement: string) =>
      save(join(project, file), (await readFile(join(project, file), "utf8")).replace(text, replacement)),
    /** Announces the end of version 1, which only its functions return. */
    deprecate: async () => {
      const file = join(project, "lambdas/api.ts");
      const dates = "deprecated: { v1: { since: new Date(0), sunset: new Date(0) } }";
      await save(file, (await readFile(file, "utf8")).replace("versions: {", `${dates}, versions: {`));
    },
  };
};

/** Removes the endpoints that the test does not need from a resource. */
const keepEndpoints = async (file: string): Promise<void> => {
  const text = await readFile(file, "utf8");
  const declared = [...text.matchAll(/^import \{ (\w+) \} from "\.\/.+\n/gm)];
  const dropped = declared.filter(([, name = ""]) => !endpoints.includes(name));
  expect(dropped.length).toBeGreaterThan(0);
  const kept = dropped.reduce(
    (all, [line, name]) => all.replace(line, "").replace(new RegExp(` ${name}\\b,?`), ""),
    text,
  );
  await writeFile(file, kept);
};

/** Saves a file like most editors, by replacing it with a new one. */
const save = async (file: string, text: string): Promise<void> => {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
};

test("a change takes effect in the running service, which keeps its data and ports", async () => {
  const { request, seenIp, output, edit, editFile, deprecate } = await startDevelopment();
  const form = new URLSearchParams({ key_id: "kept", v_code: "v".repeat(64) });
  expect((await request("/api/v1/key", { method: "POST", body: form })).status).toBe(201);
  expect(await seenIp()).toBe("127.0.0.1");

  // An endpoint's code.
  await edit("caller.ip", '"edited"');
  await expect.poll(seenIp).toBe("edited");

  // Code that does not compile.
  await edit("caller.ip", "caller.(");
  await expect.poll(output).toContain("The change does not compile.");
  expect(await seenIp()).toBe("edited");

  // Code that fails.
  await edit("const { token_id", 'if (caller) throw new Error("broken");\n    const { token_id');
  await expect.poll(async () => (await request("/api/v1/token")).status).toBe(500);
  await expect.poll(output).toMatch(/Error: broken\\n\s+at .*lambdas\/v1\/get-token\.ts:\d+/);

  // Code with a type error.
  await edit("caller.ip", "caller.address");
  await expect.poll(output).toMatch(/lambdas\/v1\/get-token\.ts\(\d+,\d+\): error TS2339/);

  // A change in the template.
  await edit('path: "/token"', 'path: "/whoami"');
  await expect.poll(output).toMatch(/The template has changed.*routes added: GET \/api\/v1\/whoami/s);
  expect((await request("/api/v1/whoami")).status).toBe(200);
  expect((await request("/api/v1/token")).status).toBe(405);

  // A chapter of the guide.
  await editFile("docs/guide/versions.md", "# Versions", "# Edited");
  await expect.poll(async () => (await request("/api/documentation/versions.md")).text()).toMatch(/^# Edited/);

  // A sentence of the API description.
  await editFile(endpointFile, 'summary: "', 'summary: "Edited: ');
  await expect
    .poll(async () => (await request("/api/documentation/api-docs.json")).text())
    .toContain('"summary":"Edited: ');

  // A part of a declaration that only the functions use.
  await deprecate();
  await expect.poll(async () => (await request("/api/v1/key/kept")).headers.get("deprecation")).toBe("@0");
  expect(output()).toContain("A declaration has changed.");

  expect((await request("/api/v1/key/kept")).status).toBe(200);
  const page = await request("/", { headers: { accept: "text/html" } });
  expect(await page.text()).toContain("/@vite/client");

  // The API responds as it does without Vite.
  const preflight = { origin: "http://localhost:5173", "access-control-request-method": "GET" };
  expect((await request("/api/v1/key", { method: "OPTIONS", headers: preflight })).status).toBe(405);
  const fromElsewhere = await request("/api/v1/key", { headers: { origin: "http://localhost:5173" } });
  expect([...fromElsewhere.headers.keys()]).not.toContain("access-control-allow-origin");
});
