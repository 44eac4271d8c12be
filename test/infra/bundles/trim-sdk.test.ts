import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { replacements, trimSdkPlugin } from "../../../infra/bundles/trim-sdk.ts";
import { type OwnService, startService } from "../../support/service.ts";
import { synthesiseWith } from "../../support/stages.ts";
import { bundlesOf } from "../../support/template.ts";

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

test("leaves a bundle without the SDK unchanged", async () => {
  await expect(bundleWith([])).resolves.toMatchObject({ errors: [] });
});

test.each(modules)("the build fails and names the module if the SDK no longer has %s", async (missing) => {
  await expect(bundleWith(modules.filter((module) => module !== missing))).rejects.toThrow(
    `The AWS SDK no longer has ${missing}: see docs/performance.md.`,
  );
});

let service: OwnService;
beforeAll(async () => {
  const assemblyDirectory = await synthesiseWith({ trimSdk: "false" });
  const { "v1-get-key": bundle = "" } = await bundlesOf(assemblyDirectory);
  expect(await readFile(bundle, "utf8")).toContain("AssumeRoleWithWebIdentity");
  service = await startService({ assemblyDirectory });
});
afterAll(() => service.close());

test("with -c trimSdk=false, the service stores and lists a key with the complete SDK", async () => {
  const form = { key_id: "1", v_code: "v".repeat(64) };

  expect((await service.call("POST", "/api/v1/key", { form })).status).toBe(201);
  expect((await service.call("GET", "/api/v1/key")).json()).toEqual([expect.objectContaining(form)]);
});
