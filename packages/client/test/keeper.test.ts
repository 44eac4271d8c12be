import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openKeptClient } from "../src/keeper.ts";
import { failureOf } from "./support/scripted-service.ts";

const issued = {
  token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  ip: "127.0.0.1",
  issued_at: "2026-11-21T10:15:30.123Z",
  expires_at: null,
  token: "itk_secret",
};
const due = {
  ...issued,
  issued_at: "2020-01-01T00:00:00.000Z",
  expires_at: "2027-12-31T00:00:00.000Z",
  token: "itk_old",
};

/** A file with a token that is due for its rotation. */
const dueFile = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "token-file-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "token.json");
  await writeFile(file, JSON.stringify(due));
  await chmod(file, 0o600);
  return file;
};

test("concurrent calls of one client rotate its token once", async () => {
  const file = await dueFile();
  const tokens: (string | null)[] = [];
  let rotations = 0;
  const fetch = async ({ method, headers }: Request): Promise<Response> => {
    if (method === "POST") rotations += 1;
    else tokens.push(headers.get("X-Token"));
    return method === "POST" ? Response.json(issued, { status: 201 }) : Response.json([]);
  };
  const client = await openKeptClient({ baseUrl: "http://127.0.0.1:1", file, fetch });
  await Promise.all(Array.from({ length: 20 }, () => client.GET("/api/v1/key")));
  await client.GET("/api/v1/key");

  expect(rotations).toBe(1);
  expect(tokens).toEqual([...Array(20).fill("itk_old"), "itk_secret"]);
  expect(JSON.parse(await readFile(file, "utf8")).token).toBe("itk_secret");
});

test("a form is sent again with the new token, complete", async () => {
  const file = await dueFile();
  const bodies: [token: string | null, body: string][] = [];
  const fetch = async (request: Request): Promise<Response> => {
    if (request.url.endsWith("/rotation")) return Response.json(issued, { status: 201 });
    const token = request.headers.get("X-Token");
    bodies.push([token, await request.text()]);
    if (token === "itk_old") return Response.json({ code: "token_expired", message: "It has ended." }, { status: 401 });
    return Response.json({ key_id: "1" }, { status: 201 });
  };
  const client = await openKeptClient({ baseUrl: "http://127.0.0.1:1", file, fetch });
  await client.POST("/api/v1/key", { body: { key_id: "1", v_code: "v" } });

  expect(bodies).toEqual([
    ["itk_old", "key_id=1&v_code=v"],
    ["itk_secret", "key_id=1&v_code=v"],
  ]);
});

test("a call that is cancelled does not wait for a confirmation, and later calls do not ask for another one", async () => {
  const file = await dueFile();
  const waiting = { ip: "127.0.0.1", code: "K7P-4XQ", expires_at: "2099-01-01T00:00:00.000Z" };
  let confirm = () => {};
  const confirmed = new Promise<void>((resolve) => {
    confirm = resolve;
  });
  const answers = [Response.json(waiting, { status: 202 }), Response.json(issued, { status: 201 })];
  const fetch = async ({ method, headers }: Request): Promise<Response> => {
    if (method === "POST") return answers.shift() ?? Response.json({}, { status: 500 });
    if (headers.get("X-Token") === "itk_secret") return Response.json([]);
    return Response.json({ code: "ip_not_allowed", message: "It is refused." }, { status: 403 });
  };
  const cancelling = new AbortController();
  const client = await openKeptClient({
    baseUrl: "http://127.0.0.1:1",
    file,
    fetch,
    mayMove: true,
    onConfirmation: () => cancelling.abort(),
    retry: { wait: () => confirmed },
  });
  const { signal } = cancelling;

  expect(await failureOf(client.GET("/api/v1/key", { signal }))).toMatchObject({ name: "AbortError" });
  const next = client.GET("/api/v1/key");
  confirm();
  expect(await next).toEqual([]);
  expect(answers).toEqual([]);
});

test("a problem becomes a warning of the process if nobody else wants it", async () => {
  const file = await dueFile();
  const fetch = async ({ method }: Request): Promise<Response> =>
    method === "GET"
      ? Response.json([])
      : Response.json({ code: "token_already_rotated", message: "It has a successor." }, { status: 409 });
  const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
  const client = await openKeptClient({ baseUrl: "http://127.0.0.1:1", file, fetch });

  expect(await client.GET("/api/v1/key")).toEqual([]);
  expect((await warned).message).toBe("409 token_already_rotated: It has a successor.");
});
