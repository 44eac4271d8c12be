import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type ClientFiles, pythonFiles, typescriptFiles } from "../../local/client/client-files.ts";
import type { Description } from "../../openapi/clients/client-model.ts";
import { describeApi } from "../../openapi/describe-api.ts";
import { buildCompiler, currentCompiler } from "../../packages/client/test/support/packed-client.ts";
import { libraryApi } from "../fixtures/library/api.ts";
import { type OwnService, startTestService, tablesOf } from "../kit/support/running-service.ts";
import { python, requirePython } from "../support/programs.ts";
import { synthesiseLibrary } from "../support/stages.ts";
import { pythonProgram, typescriptProgram, wrongCalls } from "./support/library-programs.ts";

// Many steps, each of which waits for less than a minute.
vi.setConfig({ testTimeout: 300_000 });

const run = promisify(execFile);
const release = { version: "1.2.0", mark: "integration-api client" };

const libraryDescription = (): Description => {
  const description: Description = JSON.parse(JSON.stringify(describeApi(libraryApi)));
  return { ...description, info: { ...description.info, "x-client": "library-client" } };
};

let service: OwnService;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "application-clients-"));
  service = await startTestService(libraryApi, { assemblyDirectory: await synthesiseLibrary() });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const write = async (files: ClientFiles, target = ""): Promise<void> => {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, target, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
};

/**
 * Starts a service in front of the library. It loses its first response to each PUT. Below `/newer`, it is a later release, whose
 * responses have a field, a value and an error code that this one does not know.
 */
const startProxy = async (): Promise<string> => {
  const known = new Set<string>();
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const { host: _, connection: __, ...sent } = headers;
    const body = Buffer.concat(await request.toArray());
    const passed = await fetch(service.baseUrl + url.replace("/newer", ""), {
      method,
      headers: { ...(sent as Record<string, string>), "accept-encoding": "identity" },
      redirect: "manual",
      ...(body.length > 0 && { body }),
    });
    const received = Buffer.from(await passed.arrayBuffer());
    if (method === "PUT" && known.size < known.add(url).size) return void response.socket?.destroy();
    const { "content-length": ___, "transfer-encoding": ____, ...kept } = Object.fromEntries(passed.headers);
    response.writeHead(passed.status, kept);
    response.end(url.startsWith("/newer") && received.length > 0 ? laterVersion(received.toString()) : received);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const laterVersion = (body: string): string =>
  JSON.stringify({
    ...JSON.parse(body),
    added_later: {},
    state: "digitized",
    ...(body.includes('"code"') && { code: "book_lent" }),
  });

const expected = {
  archive: "https://archive.example/2026.csv",
  copies: 1,
  subtitle: "With a table",
  stale: true,
  // The first response was lost, so the book was there already.
  statuses: [200],
  invalid: { "authors.0.name": [expect.any(String)] },
  pages: [["Notes"], ["Notes"]],
  lines: 1_001,
  total: "1000",
  bytes: Array.from({ length: 256 }, (_, byte) => byte),
  refused: true,
  later: ["digitized", true],
  laterCode: "book_lent",
  deleted: null,
};

const outcomeOf = async (program: string, words: string[], env: NodeJS.ProcessEnv = {}): Promise<unknown> => {
  await tablesOf(service, libraryApi.tables).fill({ books: [], loans: [] });
  const variables = { BASE_URL: await startProxy(), TOKEN: await service.issueToken() };
  const { stdout } = await run(program, words, { cwd: folder, env: { PATH: process.env.PATH, ...env, ...variables } });
  return JSON.parse(stdout);
};

describe("the TypeScript client of an application", () => {
  let written: ClientFiles;
  beforeAll(async () => {
    written = await typescriptFiles(libraryDescription(), release);
    await write(written, "node_modules/library-client");
    await write({ "package.json": '{ "type": "module" }', "use.ts": typescriptProgram, "wrong.ts": wrongCalls });
  });

  test.each([buildCompiler, currentCompiler])(
    "has the types of its calls, results and errors, for TypeScript $version",
    async ({ file }) => {
      const options = {
        ...{ noEmit: true, strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, target: "es2022" },
        ...{ noUncheckedIndexedAccess: true, module: "nodenext", lib: ["es2024"], types: ["node"] },
        typeRoots: [join(process.cwd(), "node_modules/@types")],
      };
      await write({ "tsconfig.json": JSON.stringify({ compilerOptions: options, files: ["use.ts", "wrong.ts"] }) });
      const report = await run(process.execPath, [file, "-p", folder]).catch((error) => error);
      expect(report.stdout).toBe("");
    },
  );

  test("calls every kind of endpoint, repeats lost calls, and works with a newer service", async () => {
    expect(await outcomeOf(process.execPath, ["use.ts"])).toEqual(expected);
  });

  test("is the same each time, and carries only the names of the application", async () => {
    const files = await typescriptFiles(libraryDescription(), release);
    expect(files).toEqual(written);
    expect(JSON.parse(files["package.json"] ?? "")).toMatchObject({ name: "library-client", version: "1.2.0" });
    for (const [name, content] of Object.entries(files))
      expect(content, name).not.toMatch(/integration[-_]api[-_]client|Integration API/);
  });
});

describe("the Python client of an application", () => {
  beforeEach((context) => requirePython(context));
  beforeAll(async () => {
    await write(await pythonFiles(libraryDescription(), release), "python");
    await write({ "use.py": pythonProgram });
  });
  const environment = () => ({ ...python.environment, PYTHONPATH: join(folder, "python/src") });

  test("has the types of its calls, results and errors", async (context) => {
    requirePython(context, "mypy");
    const words = [
      "--strict",
      "--python-version",
      "3.10",
      "--cache-dir",
      join(folder, "cache"),
      "python/src",
      "use.py",
    ];
    const env = { ...process.env, MYPYPATH: join(folder, "python/src") };
    const { stdout } = await run(python.command, ["-m", "mypy", ...words], { cwd: folder, env });
    expect(stdout).toMatch(/^Success: no issues found/);
  });

  test("calls every kind of endpoint, repeats lost calls, and works with a newer service", async () => {
    expect(await outcomeOf(python.command, ["-W", "error", "use.py"], environment())).toEqual(expected);
  });
});

test.each([
  [["client"], "Name a language and a folder"],
  [["client", "cobol", "../client"], "Name a language and a folder"],
  [["client", "python", "docs"], "docs contains other files"],
  [["client", "python", "README.md"], "README.md is a file"],
  [["client", "python", "../client", "--version", "soon"], '"soon" cannot be the client\'s version'],
  [["client", "python", "../client", "--relaese", "1"], "Unknown option '--relaese'"],
])("integration-api %j says %s", async (words, message) => {
  const failure = await run(process.execPath, ["local/cli.mjs", ...words]).catch((error) => error);
  expect(failure).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
});
