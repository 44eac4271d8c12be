import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { makeArchive } from "../../tools/release/archive.ts";
import { exampleShipment, upgradeExample } from "../../tools/release/example.ts";
import { incompatibleWith, readRelease } from "../../tools/release/release-folder.ts";
import { installPackages } from "../../tools/support/packages.ts";
import { shipmentsProgram } from "../clients/support/shipments-program.ts";
import { samplesIn } from "../docs/guide-samples.ts";
import { run } from "../local/project-fixture.ts";
import { compileCache } from "../support/compile-cache.ts";
import { freePort } from "../support/free-port.ts";
import { sampleRunner } from "../support/run-sample.ts";

/** Makes an application with the command in this repository or in an archive. */
const makeApplication = (project: string, target: string) =>
  promisify(execFile)(process.execPath, [join(project, "local/cli.mjs"), "new", target]);

let temporary: string;
/** The application that `integration-api new` makes in the repository. */
let folder: string;
beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), "outsider-"));
  folder = join(temporary, "my-shipments");
  await makeApplication(process.cwd(), folder);
  await installPackages(folder);
});
afterAll(() => rm(temporary, { recursive: true, maxRetries: 5 }));

/** Runs a command of the installed packages, and returns its output. */
const outputOf = async (name: string, words: string[] = [], variables: object = {}): Promise<string> => {
  const bin = join(folder, "node_modules/.bin");
  const environment = {
    HOME: folder,
    PATH: `${bin}:${process.env.PATH}`,
    NO_COLOR: "1",
    ...compileCache,
    ...variables,
  };
  const { stdout, stderr } = await promisify(execFile)(join(bin, name), words, { cwd: folder, env: environment });
  return stdout + stderr;
};

test("the archive of a release makes the same application as the repository", async () => {
  const settings = { project: process.cwd(), assembly: inject("assemblyDirectory"), seconds: 1_800_000_000 };
  const { name } = await makeArchive({ ...settings, packages: join(folder, "packages"), folder: temporary });
  const other = join(temporary, "of-the-archive/my-shipments");
  await makeApplication(join(temporary, name), other);
  const contentOf = async (directory: string) => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const made = files.filter((file) => !file.includes("/node_modules/")).toSorted();
    return Promise.all(made.map(async (file) => [relative(directory, file), await readFile(file, "base64")]));
  };

  expect(await contentOf(other)).toEqual(await contentOf(folder));
});

test.each([
  ["new", "my-shipments", "is not empty"],
  ["new", "1st", "cannot be its name"],
  ["new", "zod", "needs another name"],
  ["new", "", "Name one folder"],
  ["upgrade", ".", "has no application"],
  ["upgrade", "broken", "is not JSON"],
])("integration-api %s %s says that it %s", async (command, name, problem) => {
  const words = [join(process.cwd(), "local/cli.mjs"), command, ...(name === "" ? [] : [name])];
  await mkdir(join(temporary, "broken"), { recursive: true });
  await writeFile(join(temporary, "broken/package.json"), "{");
  const { says, ended } = run(temporary, words, {});

  expect(await says(problem)).toMatch(new RegExp(`^[^\\n]*${problem}[^\\n]*\\n$`));
  expect(await ended).toBe(1);
});

test("the package's types match the example", async () => {
  expect(await outputOf("tsc")).toBe("");
});

test("the example is synthesised without findings from the CDK's validation and cdk-nag", async () => {
  expect(await outputOf("cdk", ["synth", "--quiet"])).toMatch(/^Successfully synthesized to /m);
});

test("the last release's example can be upgraded and downgraded without edits on one database", async () => {
  const directory = await mkdtemp(join(tmpdir(), "upgraded-"));
  const problems = await upgradeExample(directory, folder);
  expect(problems, incompatibleWith(await readRelease())).toEqual([]);
});

test("the service tests pass for the example, and leave the temporary files of others alone", async () => {
  const TMPDIR = await mkdtemp(join(tmpdir(), "outsider-temporary-"));
  onTestFinished(() => rm(TMPDIR, { recursive: true, maxRetries: 5 }));
  await writeFile(join(TMPDIR, "of another program"), "");

  expect(await outputOf("vitest", ["run"], { TMPDIR })).toMatch(/Tests {2}\d+ passed \(\d+\)/);
  expect(await readdir(TMPDIR)).toContain("of another program");
});

test("the example runs: its endpoints respond, and its guide shows requests that they accept", async (context) => {
  const port = await freePort();
  const service = run(folder, ["node_modules/integration-api/local/cli.mjs", "start"], { PORT: String(port) });
  const started = await service.says("Stop: Ctrl-C");
  const [token = ""] = /itk_\w{76,}/.exec(started) ?? [];
  const call = async (method: string, path: string, json?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { accept: "application/json", "x-token": token, ...(json && { "content-type": "application/json" }) },
      ...(json && { body: JSON.stringify(json) }),
    });
    return [response.status, await response.json()];
  };
  const shipment = { ...exampleShipment, shipment_id: "S-1", customer_id: "acme" };

  expect(await call("POST", "/api/v1/shipment", shipment)).toEqual([
    422,
    { customer_id: ["There is no such customer."] },
  ]);
  expect(await call("PUT", "/api/v1/customer/acme", { name: "Acme", email: null })).toMatchObject([200, {}]);
  expect(await call("POST", "/api/v1/shipment", shipment)).toMatchObject([201, { status: "created" }]);
  expect(await call("PATCH", "/api/v1/shipment/S-1", { note: null })).toMatchObject([200, { weight_kg: "7.250" }]);
  expect(await call("GET", "/api/v1/customer/acme/shipment")).toMatchObject([200, [{ shipment_id: "S-1" }]]);
  const confirm = (event: object) =>
    fetch(`http://127.0.0.1:${port + 1}/2015-03-31/functions/job-confirm-pickup/invocations`, {
      method: "POST",
      body: JSON.stringify(event),
    });
  const pickup = { shipment_id: "S-1", occurred_at: "2026-11-21T10:15:30.123Z" };
  expect(await (await confirm(pickup)).json()).toBeNull();
  expect(await call("GET", "/api/v1/shipment/S-1")).toMatchObject([200, { status: "shipped" }]);
  expect(await call("GET", "/api/v1/shipment/S-1/event")).toMatchObject([200, [{ ...pickup, status: "shipped" }]]);
  expect(await (await confirm({ shipment_id: "S-1" })).json()).toMatchObject({
    errorMessage: expect.stringContaining("The occurred_at field is required."),
  });
  expect(await call("GET", "/api/v1/shipment/S-2")).toMatchObject([404, { code: "shipment_not_found" }]);

  const documentation = async (page: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/documentation${page}`);
    expect([page, response.status]).toEqual([page, 200]);
    return response.text();
  };
  for (const page of ["/shipments/create", "/customers/put"]) await documentation(page);
  const everything = await documentation("/llms-full.txt");
  expect(everything).not.toMatch(/\/key\b|key_id|v_code|\{\{\w|integration.api.client/);
  expect(everything).not.toContain(manifest.version);
  expect(everything).toContain("## Changelog\n\n### 1.0.0\n");
  expect(await documentation("/llms.txt")).toMatch(/^# My Shipments API\n/);

  const variables = { BASE_URL: `http://127.0.0.1:${port}`, TOKEN: token };
  expect(await useTypescriptClient(variables)).toEqual({
    statuses: [201],
    note: "Ring once.",
    csv: "sku,quantity,handling\r\nLAMP-7,2,\r\n",
    shipments: ["S-3", "S-1"],
    refused: "wrong_status",
  });
  expect(await outputOf("integration-api", ["client", "python", "../python"])).toBe(
    "my-shipments-client 1.0.0 is in ../python. Its README.md says how to use it.\n",
  );

  const place = { baseUrl: `http://127.0.0.1:${port}`, issueToken: async () => token };
  const runSample = await sampleRunner(context, "sh", place);
  for (const chapter of ["shipping", "retries", "conditional-requests", "following", "lists"]) {
    const samples = samplesIn(await documentation(`/${chapter}.md`)).filter(({ language }) => language === "sh");
    expect(samples, chapter).not.toEqual([]);
    for (const { code } of samples) await runSample(`set -e\n${code}`);
  }
});

/** Runs `npm run dev` in the application, with a separate data folder. */
const startDev = async (dataFolder: string) => {
  const variables = { PORT: String(await freePort()), DATA_DIR: join(temporary, dataFolder) };
  const service = run(folder, ["node_modules/integration-api/local/cli.mjs", "dev"], variables);
  const [, baseUrl, token = ""] = /API +(http\S+).*(itk_\w{76,})/s.exec(await service.says("Stop: Ctrl-C")) ?? [];
  const headers = { accept: "application/json", "x-token": token, "content-type": "application/json" };
  const call = async (method: string, path: string, json?: object): Promise<unknown> => {
    const body = json && { body: JSON.stringify(json) };
    return (await fetch(`${baseUrl}/api/v1${path}`, { method, headers, ...body })).json();
  };
  return { service, call };
};

test("dev, the service tests and callHandler first name the application's line in which a handler fails", async () => {
  const { service, call } = await startDev("dev");
  const file = join(folder, "shipments/report-event.ts");
  const text = await readFile(file, "utf8");
  onTestFinished(() => writeFile(file, text));
  const mistakes = '    const count: number = "many";\n    throw new Error(count);\n';
  await writeFile(
    file,
    text.replace(/^ +async handler.*\n/m, (line) => line + mistakes),
  );

  expect(await service.says("error TS2322")).toContain("\nshipments/report-event.ts(");
  await call("POST", "/shipment/S-1/event", { occurred_at: "2026-11-21T10:15:30.123Z", status: "packed" });
  expect(await service.says("Error: many")).toMatch(/Error: many\\n +at [\w.]+ \(\S+\/shipments\/report-event\.ts:\d+/);
  const tests = ["run", "-t", "v1-report-event returns the described response|delivers a shipment"];
  const output = await outputOf("vitest", tests).catch(({ stdout, stderr }) => `${stdout}${stderr}`);
  expect(output).toMatch(/Error: many\n +at [\w.]+ \(shipments\/report-event\.ts:\d+/);
  expect(output).toMatch(/^Error: many\n ❯ [\w.]+ shipments\/report-event\.ts:\d+/m);
});

test("dev applies changes of settings.json, and keeps the current settings if the file is invalid", async () => {
  const { service, call } = await startDev("followed");
  await call("PUT", "/customer/acme", { name: "Acme", email: null });
  await call("POST", "/shipment", { ...exampleShipment, shipment_id: "S-1", customer_id: "acme" });
  const label = async () => (await call("GET", "/shipment/S-1/label")) as { url?: string };
  const file = join(temporary, "followed/settings.json");
  const text = await readFile(file, "utf8");

  expect((await label()).url).toMatch(/^https:\/\/files\.example\/labels\/S-1\?/);
  await writeFile(file, text.replace("https://files.example", "not an address"));
  expect(await service.says("The setting files_url must be")).not.toContain("not an address");
  expect((await label()).url).toMatch(/^https:\/\/files\.example\//);
  await writeFile(file, text.replace("https://files.example", "https://other.example"));
  await expect.poll(async () => (await label()).url).toMatch(/^https:\/\/other\.example\//);
});

/** Generates the TypeScript client, installs it without a registry, compiles a program that uses it, and runs the program. */
const useTypescriptClient = async (variables: object): Promise<unknown> => {
  const user = join(temporary, "user");
  await outputOf("integration-api", ["client", "typescript", "../user/client"]);
  await writeFile(join(user, "package.json"), '{ "type": "module" }');
  await writeFile(join(user, "use.ts"), shipmentsProgram);
  const environment = { ...process.env, HOME: user };
  const words = ["install", "--offline", "--no-audit", "--no-fund", "./client"];
  await promisify(execFile)("npm", words, { cwd: user, env: environment });
  const typeRoots = [join(folder, "node_modules/@types")];
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2022",
    types: ["node"],
    typeRoots,
  };
  await writeFile(join(user, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
  expect(await outputOf("tsc", ["-p", user])).toBe("");
  const { stdout } = await promisify(execFile)(process.execPath, ["use.ts"], {
    cwd: user,
    env: { ...environment, ...variables },
  });
  return JSON.parse(stdout);
};
