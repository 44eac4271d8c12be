import { readdir, readFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { startBrowser } from "../../../tools/support/browser.ts";
import { found, keyNamed, noContent, raw, scripted, unchanged } from "./contract/services.ts";
import {
  buildCompiler,
  currentCompiler,
  findNode,
  installPackedClient,
  otherCompilers,
} from "./support/packed-client.ts";

// The tests have many steps, each of which takes less than a minute.
vi.setConfig({ testTimeout: 300_000 });

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const read = (file: string): Promise<string> => readFile(join(repository, file), "utf8");

const readme = await read("packages/client/README.md");
/** All samples of the README combined into one program. */
const samples = [...readme.matchAll(/```js\n(.+?)```/gs)].map(([, code]) => code).join("\n");

let project: Awaited<ReturnType<typeof installPackedClient>>;
beforeAll(async () => {
  project = await installPackedClient();
});
afterAll(() => project.close());

describe("the package", () => {
  test("contains only what users need", async () => {
    const files = await readdir(project.installed, { recursive: true });
    const modules = files.filter((file) => file.endsWith(".js")).map((file) => file.replace(".js", ""));

    expect(modules).toContain("index");
    expect(files.toSorted()).toEqual(
      [
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "command.mjs",
        "package.json",
        ...modules.flatMap((module) => [`${module}.js`, `${module}.d.ts`]),
      ].toSorted(),
    );
    expect(await readFile(join(project.installed, "LICENSE"), "utf8")).toBe(await read("LICENSE"));
  });

  test("can be published and has no dependencies", async () => {
    const manifest = JSON.parse(await readFile(join(project.installed, "package.json"), "utf8"));
    expect(manifest).not.toHaveProperty("dependencies");
    expect(manifest).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    for (const name of ["//", "private", "release", "scripts", "devDependencies"])
      expect(manifest).not.toHaveProperty(name);
  });

  test("can be bundled for browsers, because only token files need Node.js modules", async () => {
    const [keeper, ...forBrowsers] = await Promise.all(
      ["keeper.js", "index.js", "workload.js"].map((module) => importedBy(module)),
    );

    for (const modules of forBrowsers) {
      expect(modules.size).toBeGreaterThan(5);
      expect([...modules].filter((name) => !name.endsWith(".js"))).toEqual([]);
    }
    expect([...(keeper ?? [])].filter((name) => !name.endsWith(".js") && !name.startsWith("node:"))).toEqual([]);
    expect(keeper).toContain("node:fs/promises");
  });
});

/** Finds the modules of the package that a module needs, including itself, and their external imports. */
const importedBy = async (module: string, found = new Set<string>()): Promise<Set<string>> => {
  if (found.has(module)) return found;
  found.add(module);
  const text = await readFile(join(project.installed, module), "utf8");
  for (const [, name = ""] of text.matchAll(/(?:\bfrom|^import|\bimport\() ?"([^"]+)"/gm)) {
    if (name.startsWith(".")) await importedBy(join(dirname(module), name), found);
    else found.add(name);
  }
  return found;
};

test.for([
  ["the Node.js of the tests", process.execPath],
  ["Node.js 20", await findNode(20)],
])("the installed command runs with %s", async ([name, node], { skip }) => {
  if (node === undefined) return skip(`${name} is not on the path`);
  const { stdout } = await project.run(node, "node_modules/integration-api-client/command.mjs", {}, "--help");
  expect(stdout).toContain("Usage: integration-api-client");
});

/** Serves an empty page, the client's modules, a key with an ETag, and a list that redirects. */
const serveBrowser: RequestListener = async (request, response) => {
  const { method, url = "", headers } = request;
  const tag = { "cache-control": "no-cache", etag: '"a"' };
  const key = headers["if-none-match"] === '"a"' ? unchanged(tag) : found(keyNamed("1"), tag);
  if (url === "/") raw(200, "<!doctype html><title>", { "content-type": "text/html" })(request, response);
  else if (url === "/api/v1/key") raw(302, "", { location: "/" })(request, response);
  else if (url.startsWith("/api/v1/key/")) (method === "DELETE" ? noContent : key)(request, response);
  else if (!url.startsWith("/client/")) raw(404)(request, response);
  else {
    const module = await readFile(join(project.installed, url.replace("/client/", "")));
    raw(200, module, { "content-type": "text/javascript" })(request, response);
  }
};

test("sends conditional requests, rejects redirects and stores nothing in a browser", async () => {
  const { baseUrl, requests } = await scripted(...Array<RequestListener>(50).fill(serveBrowser));
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(baseUrl);
  const results = await page.evaluate(`(async () => {
    const { createIntegrationClient } = await import("/client/index.js");
    const options = { baseUrl: "", token: "itk_1" };
    const params = { path: { key_id: "1" } };
    const client = createIntegrationClient(options);
    const first = await client.GET("/api/v1/key/{key_id}", { params });
    const again = await client.GET("/api/v1/key/{key_id}", { params });
    await client.DELETE("/api/v1/key/{key_id}", { params, ifUnchanged: again });
    // A browser that had stored the response would make this call conditional.
    await createIntegrationClient(options).GET("/api/v1/key/{key_id}", { params });
    const { status, code } = await client.GET("/api/v1/key").catch((error) => error);
    return { equal: JSON.stringify(first) === JSON.stringify(again), key_id: again.key_id, status, code };
  })()`);

  expect(results).toEqual({ equal: true, key_id: "1", status: 0, code: "redirected" });
  const conditions = requests
    .filter(({ url }) => url.startsWith("/api/v1/key/"))
    .map(({ method, headers }) => [method, headers["if-none-match"] ?? headers["if-match"]]);
  expect(conditions).toEqual([
    ["GET", undefined],
    ["GET", '"a"'],
    ["DELETE", '"a"'],
    ["GET", undefined],
  ]);
});

describe("a strict project compiles", () => {
  const strict = {
    target: "es2022",
    noEmit: true,
    strict: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
  };

  test.each([buildCompiler, currentCompiler])(
    "compiles for Node.js with TypeScript $version: the README's samples and the command",
    async ({ file }) => {
      await project.write("samples.ts", samples);
      const options = {
        ...strict,
        module: "nodenext",
        lib: ["es2023"],
        types: ["node"],
        typeRoots: [join(repository, "node_modules/@types")],
        allowJs: true,
        checkJs: true,
      };

      const command = "node_modules/integration-api-client/command.mjs";
      expect(await project.compile(file, ["samples.ts", command], options)).toEqual([]);
    },
  );

  test.each([
    ...[buildCompiler, currentCompiler, ...otherCompilers].map((compiler) => ({ ...compiler, resolution: "bundler" })),
    ...otherCompilers.map((compiler) => ({ ...compiler, resolution: "nodenext" })),
  ])(
    "compiles for browsers with TypeScript $version and $resolution, but rejects calls that the API does not have",
    async ({ file, resolution }) => {
      await project.write(
        "browser.ts",
        `import { ApiFailure, createIntegrationClient, type components, type IssuedToken } from "integration-api-client";
      import type { KeptClientOptions } from "integration-api-client/keeper";
      import { openWorkloadClient } from "integration-api-client/workload";

      const client = createIntegrationClient({ baseUrl: location.origin, token: "itk_1" });
      const keys: components["schemas"]["Key"][] = await client.GET("/api/v1/key");
      const nothing: undefined = await client.DELETE("/api/v1/key/{key_id}", { params: { path: { key_id: "1" } } });
      if (keys instanceof ApiFailure || nothing) document.title = "impossible";
      // @ts-expect-error: a string is not a number, so the result has a type
      const text: number = (await client.GET("/api/v1/token")).ip;
      // @ts-expect-error: there is no such path
      await client.GET("/api/v1/nowhere");
      // @ts-expect-error: the path parameter is missing
      await client.GET("/api/v1/key/{key_id}");
      // @ts-expect-error: this is not a list
      client.pages("/api/v1/token");
      // @ts-expect-error: a field is missing
      await client.POST("/api/v1/key", { body: { key_id: "1" } });
      // @ts-expect-error: no condition can be put on the creation of a key
      await client.POST("/api/v1/key", { body: { key_id: "1", v_code: "" }, ifUnchanged: keys[0] });
      // @ts-expect-error: a token is not a key
      await client.DELETE("/api/v1/key/{key_id}", { params: { path: { key_id: "1" } }, ifUnchanged: { ip: "::1" } });
      const { token_id }: IssuedToken = await client.rotate({ graceSeconds: 60 });
      // @ts-expect-error: the client would go on with the old token
      await client.POST("/api/v1/token/rotation", { body: { grace_seconds: "60" } });
      // @ts-expect-error: nobody would learn the code
      await client.move();
      document.title = token_id;
      const { baseUrl }: Pick<KeptClientOptions, "baseUrl"> = { baseUrl: "" };
      await openWorkloadClient({ baseUrl, jwt: async ({ audience }) => audience }).revoke();
      // @ts-expect-error: there is no such option
      createIntegrationClient({ baseUrl: "", token: "", timeout: 1 });
      `,
      );
      const options = {
        ...strict,
        module: resolution === "bundler" ? "es2022" : resolution,
        moduleResolution: resolution,
        lib: ["es2023", "dom", "dom.iterable"],
        types: [],
      };

      expect(await project.compile(file, ["browser.ts"], options)).toEqual([]);
    },
  );
});
