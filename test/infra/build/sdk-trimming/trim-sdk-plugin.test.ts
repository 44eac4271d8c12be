import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replacements, trimSdkPlugin } from "../../../../infra/build/trim-sdk.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-sdk-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Bundles a program that imports these modules, which are all empty. */
const bundleWith = async (modules: string[]): Promise<unknown> => {
  for (const module of modules) {
    const file = join(folder, "node_modules", module);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "");
  }
  const contents = modules.map((module) => `import "./node_modules/${module}";`).join("\n");
  return build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    write: false,
    logLevel: "silent",
    plugins: [trimSdkPlugin()],
  });
};

const modules = replacements.map(({ module }) => module);

test("a bundle without the SDK is not affected", async () => {
  await expect(bundleWith([])).resolves.toMatchObject({ errors: [] });
});

test.each(modules)("an SDK that no longer has %s fails the build with the name of the module", async (missing) => {
  await expect(bundleWith(modules.filter((module) => module !== missing))).rejects.toThrow(
    `The AWS SDK no longer has ${missing}: see docs/performance.md.`,
  );
});

test("a module that a replacement would not change fails the build with the name of the module", async () => {
  await expect(bundleWith(modules)).rejects.toThrow(
    /schemas_0\.js no longer has anything to replace: see docs\/performance\.md/,
  );
});
