import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire, SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, inject, onTestFinished, test, vi } from "vitest";
import { sourceMapFile } from "../../../infra/bundles/assembly-files.ts";
import { bundleEntry } from "../../../infra/bundles/bundle.ts";
import { functionsOf } from "../../../infra/functions.ts";
import { api } from "../../../lambdas/api.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { tableVariable } from "../../../lambdas/dynamodb/uses.ts";
import { libraryApi } from "../../fixtures/library/api.ts";
import { type BundleFiles, bundlesOf } from "../../support/template.ts";

/** Only the exchange contains jose, which verifies JWTs, and only the changes contain `change-feed.ts`. */
const maximumBytes = (functionName: string) =>
  ({ "v1-exchange-token": 220_000, "v1-list-key-changes": 202_000 })[functionName] ?? 195_000;

/** Text that occurs only in modules that no function uses. */
const unused = {
  "the whole of zod": '"ZodString"',
  "the generator of the API description": "json-schema.org",
  "the SDK's keys from a container": "169.254.170.2",
  "the SDK's keys from other services": "AssumeRoleWithWebIdentity",
  "the SDK's rules for endpoints": "dnsSuffix",
};

const functionNames = [...operationsOf(api).map(({ functionName }) => functionName), "fallback"];

let bundles: BundleFiles;
beforeAll(async () => {
  bundles = await bundlesOf();
});

test.each(functionNames)("the bundle of %s is small, and contains no unused modules", async (functionName) => {
  const code = await readFile(bundles[functionName] ?? "", "utf8");
  const size = Buffer.byteLength(code);
  if (size > maximumBytes(functionName)) {
    throw new Error(
      `It has ${size} bytes, of which the largest modules have:\n${await largestModules(functionName, code)}`,
    );
  }
  expect(Object.entries(unused).filter(([, text]) => code.includes(text))).toEqual([]);
});

/** Returns the sizes of the largest modules of a bundle, a line for each. */
const largestModules = async (functionName: string, code: string): Promise<string> => {
  const map = new SourceMap(
    JSON.parse(await readFile(sourceMapFile(inject("assemblyDirectory"), functionName), "utf8")),
  );
  const sizes = new Map<string, number>();
  for (const [line, text] of code.split("\n").entries()) {
    for (let column = 0; column < text.length; column += 1) {
      const { originalSource = "" } = map.findEntry(line, column) as { originalSource?: string };
      sizes.set(originalSource, (sizes.get(originalSource) ?? 0) + 1);
    }
  }
  const largest = [...sizes].toSorted(([, one], [, other]) => other - one).slice(0, 40);
  return largest.map(([module, size]) => `${size} ${module}`).join("\n");
};

const project = fileURLToPath(new URL("../../..", import.meta.url));

test.each(functionsOf(api).map(({ name }) => name))(
  "the bundle of %s has a source map that is neither deployed nor referenced",
  async (name) => {
    const bundle = (await bundlesOf())[name] ?? "";
    const mapFile = sourceMapFile(inject("assemblyDirectory"), name);
    const { sources }: { sources: string[] } = JSON.parse(await readFile(mapFile, "utf8"));

    expect(relative(dirname(bundle), mapFile)).toMatch(/^\.\./);
    expect(await readFile(bundle, "utf8")).not.toContain("sourceMappingURL");
    expect(sources.map((source) => relative(project, join(dirname(mapFile), source)))).toContain(
      "lambdas/shared/log.ts",
    );
  },
);

test("an endpoint's module may have other exports, which are left out of the bundle", async () => {
  const { name, code: source } = functionsOf(api).find(({ name }) => name === "v1-get-key") ?? {};
  if (!name || !source?.endpoint) throw new Error("There is no endpoint v1-get-key.");
  const folder = await mkdtemp(join(tmpdir(), "exports-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "get-key");
  const exports = ["const first = 'not bundled'", `{ getKey } from ${JSON.stringify(`${source.endpoint.file}.ts`)}`];
  await writeFile(`${file}.ts`, exports.map((each) => `export ${each};\n`).join(""));

  const { code } = await bundleEntry({ ...source, name, endpoint: { name: "getKey", file } });
  expect(Buffer.from(code).toString()).not.toContain("not bundled");
  await writeFile(`${file}.cjs`, code);
  for (const name of ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "test");
  for (const store of source.stores ?? []) vi.stubEnv(tableVariable(store), store);
  expect(createRequire(import.meta.url)(`${file}.cjs`)).toEqual({ handler: expect.any(Function) });
});

test("only the endpoints that declare more than JSON contain the code for it", async () => {
  const bundlesWith = functionsOf(libraryApi)
    .filter(({ kind }) => kind === "endpoint")
    .map(async ({ name, code }) => {
      const bundle = await bundleEntry({ ...code, name });
      return Buffer.from(bundle.code).includes("Content-Disposition") ? [name] : [];
    });
  expect((await Promise.all(bundlesWith)).flat()).toEqual(["v1-export-books", "v1-print-books"]);
});
