import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { LocalError } from "cdk-local-runner";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Service } from "../../lambdas/declaration/service.ts";
import { type ClientFiles, pythonFiles, typescriptFiles } from "../../local/client/client-files.ts";
import { earlierFiles, replaceFiles } from "../../local/client/generated-folder.ts";
import { writingInto } from "../../local/existing-files.ts";
import type { Description } from "../../openapi/clients/client-model.ts";
import { describeApi } from "../../openapi/describe-api.ts";
import { buildCompiler, currentCompiler } from "../../packages/client/test/support/packed-client.ts";
import { libraryApi } from "../fixtures/library/api.ts";
import { type OwnService, startTestService, tablesOf } from "../kit/support/running-service.ts";
import { python, requirePython } from "../support/programs.ts";
import { synthesiseLibrary } from "../support/stages.ts";
import { pythonProgram, typescriptProgram, wrongCalls } from "./support/library-programs.ts";
import { reservedApi, reservedProgram } from "./support/reserved-names.ts";

const run = promisify(execFile);
const version = "1.2.0";

const descriptionOf = (service: Service): Description => {
  const description: Description = JSON.parse(JSON.stringify(describeApi(service)));
  return { ...description, info: { ...description.info, "x-client": `${service.name.toLowerCase()}-client` } };
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

const compilerReport = async (compiler: string, files: string[]): Promise<string> => {
  const compilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, target: "es2022" },
    ...{ noUncheckedIndexedAccess: true, module: "nodenext", lib: ["es2024"], types: ["node"] },
    typeRoots: [join(process.cwd(), "node_modules/@types")],
  };
  await write({ "tsconfig.json": JSON.stringify({ compilerOptions, files }) });
  const report = await run(process.execPath, [compiler, "-p", folder]).catch((error) => error);
  return report.stdout;
};

describe("the TypeScript client of an application", () => {
  let written: ClientFiles;
  beforeAll(async () => {
    written = await typescriptFiles(descriptionOf(libraryApi), version);
    await write(written, "node_modules/library-client");
    await write({ "package.json": '{ "type": "module" }', "use.ts": typescriptProgram, "wrong.ts": wrongCalls });
  });

  test.each([buildCompiler, currentCompiler])(
    "has the types of its calls, results and errors, for TypeScript $version",
    async ({ file }) => {
      expect(await compilerReport(file, ["use.ts", "wrong.ts"])).toBe("");
    },
  );

  test("has types for names and values that the language reserves", async () => {
    await write(await typescriptFiles(descriptionOf(reservedApi), version), "node_modules/reserved-client");
    await write({ "reserved.ts": reservedProgram });
    expect(await compilerReport(currentCompiler.file, ["reserved.ts"])).toBe("");
  });

  test("calls every kind of endpoint, repeats lost calls, and works with a newer service", async () => {
    expect(await outcomeOf(process.execPath, ["use.ts"])).toEqual(expected);
  });

  test("is the same each time, and carries only the names of the application", async () => {
    const files = await typescriptFiles(descriptionOf(libraryApi), version);
    expect(files).toEqual(written);
    expect(JSON.parse(files["package.json"] ?? "")).toMatchObject({ name: "library-client", version: "1.2.0" });
    for (const [name, content] of Object.entries(files))
      expect(content, name).not.toMatch(/integration[-_]api[-_]client|Integration API/);
  });
});

describe("the Python client of an application", () => {
  beforeEach((context) => requirePython(context));
  beforeAll(async () => {
    await write(await pythonFiles(descriptionOf(libraryApi), version), "python");
    await write({ "use.py": pythonProgram });
  });
  const environment = (source = "python/src") => ({ ...python.environment, PYTHONPATH: join(folder, source) });
  const mypyReport = async (source: string, ...programs: string[]): Promise<string> => {
    const options = ["--strict", "--python-version", "3.10", "--cache-dir", join(folder, "cache")];
    const env = { ...process.env, MYPYPATH: join(folder, source) };
    const words = ["-m", "mypy", ...options, source, ...programs];
    return (await run(python.command, words, { cwd: folder, env }).catch((error) => error)).stdout;
  };

  test("has correct types for its calls, results and errors", async (context) => {
    requirePython(context, "mypy");
    expect(await mypyReport("python/src", "use.py")).toMatch(/^Success: no issues found/);
  });

  test("has types for names and values that the language reserves", async (context) => {
    await write(await pythonFiles(descriptionOf(reservedApi), version), "reserved");
    const program = "import reserved_client.operations as o; print([n for n in vars(o.Operations) if n[0] != '_'])";
    const words = ["-W", "error", "-c", program];
    const { stdout } = await run(python.command, words, { cwd: folder, env: environment("reserved/src") });
    expect(stdout.trim()).toBe("['list_', 'rotate_', 'pass_']");
    requirePython(context, "mypy");
    expect(await mypyReport("reserved/src")).toMatch(/^Success: no issues found/);
  });

  test("can be installed with pip", async (context) => {
    requirePython(context, "pip", "setuptools.command.bdist_wheel");
    await write(await pythonFiles(descriptionOf(libraryApi), version), "packed");
    const words = ["install", "--no-index", "--no-build-isolation", "--target", "installed", "./packed"];
    await run(python.command, ["-m", "pip", ...words], { cwd: folder });
    const program =
      "import library_client.operations; from importlib.metadata import version; print(version('library-client'))";
    const { stdout } = await run(python.command, ["-c", program], { cwd: folder, env: environment("installed") });
    expect(stdout.trim()).toBe(version);
  });

  test("calls every kind of endpoint, repeats lost calls, and works with a newer service", async () => {
    expect(await outcomeOf(python.command, ["-W", "error", "use.py"], environment())).toEqual(expected);
  });
});

describe("the folder of a client", () => {
  const client = (language: string) => ({
    folder: join(folder, "client"),
    shown: "client",
    generator: `integration-api client ${language}`,
  });
  const contents = async () => (await readdir(client("").folder, { recursive: true })).toSorted();
  beforeEach(() => replaceFiles(client("python"), [], { "README.md": "", "src/old/a.py": "" }));
  afterEach(() => rm(client("").folder, { recursive: true }));

  test("deletes the files that only an earlier run wrote, and keeps those of the owner", async () => {
    await write({ "client/src/own.py": "" });
    await replaceFiles(client("python"), await earlierFiles(client("python")), { "README.md": "", "src/new/a.py": "" });
    const files = ["README.md", "generated-files.json", "src", "src/new", "src/new/a.py", "src/own.py"];
    expect(await contents()).toEqual(files);
  });

  test("can be written again after a run that was interrupted", async () => {
    const earlier = await earlierFiles(client("python"));
    const interrupted = replaceFiles(client("python"), earlier, { "new.py": "", "new.py/blocked": "" });
    await expect(interrupted).rejects.toThrow("EEXIST");
    expect(await earlierFiles(client("python"))).toEqual(expect.arrayContaining([...earlier, "new.py"]));
  });

  test("can replace an earlier file with a folder, and an earlier folder with a file", async () => {
    const earlier = await earlierFiles(client("python"));
    await replaceFiles(client("python"), earlier, { "README.md/de.md": "", src: "" });
    expect(await contents()).toEqual(["README.md", "README.md/de.md", "generated-files.json", "src"]);

    // As after an interruption.
    const both = [...earlier, ...(await earlierFiles(client("python")))];
    await replaceFiles(client("python"), both, { "README.md": "" });
    expect(await contents()).toEqual(["README.md", "generated-files.json"]);
  });

  test("replaces a link instead of the file that it leads to", async () => {
    await write({ "own.md": "mine" });
    await rm(join(folder, "client/README.md"));
    await symlink(join(folder, "own.md"), join(folder, "client/README.md"));
    await replaceFiles(client("python"), await earlierFiles(client("python")), { "README.md": "" });
    expect(await readFile(join(folder, "own.md"), "utf8")).toBe("mine");
  });

  test.each([
    ["src/own.py", "src/own.py"],
    ["src/own.py", "src"],
    ["src/own.py", "src/own.py/new.py"],
  ])("stays unchanged if %s of its owner is in the way of %s", async (own, name) => {
    await write({ [`client/${own}`]: "mine" });
    const written = replaceFiles(client("python"), await earlierFiles(client("python")), { [name]: "other" });
    await expect(written).rejects.toThrow(`client contains ${own}, which this command did not write. Move it away.`);
    expect(await readFile(join(folder, "client", own), "utf8")).toBe("mine");
    expect(await contents()).toContain("README.md");
  });

  test.each([
    ["EACCES", "client cannot be written (EACCES). Make it writable, or name another folder."],
    ["ENOSPC", "client cannot be written (ENOSPC). Free some space on its disk, and run the command again."],
    [
      "ENOTEMPTY",
      "client cannot be written (ENOTEMPTY). Name another folder, or make sure that nothing else writes there.",
    ],
  ])("says what to do after %s", async (code, sentence) => {
    const act = () => Promise.reject(Object.assign(new Error("refused"), { code }));
    await expect(writingInto("client", act)).rejects.toThrow(new LocalError(sentence));
  });

  test.each([
    ["a client in another language", "typescript", undefined],
    ["a list with files outside the folder", "python", '["../use.py"]'],
    ["a list with the folder itself", "python", '["."]'],
    ["a list with absolute files", "python", '["/tmp/use.py"]'],
  ])("is rejected if it has %s", async (_, language, files) => {
    const { generator } = client(language);
    if (files) await write({ "client/generated-files.json": `{ "generator": "${generator}", "files": ${files} }` });
    await expect(earlierFiles(client(language))).rejects.toThrow("client contains other files. Name a new folder.");
  });
});

test.each([
  [["client"], "Name a language and a folder"],
  [["client", "cobol", "../client"], "Name a language and a folder"],
  [["client", "toString", "../client"], "Name a language and a folder"],
  [["client", "python", "docs"], "docs contains other files"],
  [["client", "python", "README.md"], "README.md is a file"],
  [["client", "python", "../client", "--version", "soon"], '"soon" cannot be the client\'s version'],
  [["client", "python", "../client", "--relaese", "1"], "Unknown option '--relaese'"],
])("integration-api %j says %s", async (words, message) => {
  const failure = await run(process.execPath, ["local/cli.mjs", ...words]).catch((error) => error);
  expect(failure).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
});
