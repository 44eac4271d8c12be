import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { functionsOf } from "../../../infra/functions.ts";
import { api } from "../../../lambdas/api.ts";
import { readTemplates, synthesise } from "../../../local/synthesise.ts";
import { temporaryDirectory } from "../../local/project-fixture.ts";

vi.setConfig({ testTimeout: 120_000 });

test("each endpoint is deployed with a code cache, and a second build changes nothing", async () => {
  const context = { stage: "dev" };
  const build = async () => synthesise(await temporaryDirectory(), { context, makesCodeCaches: true });
  const [first, second] = [await build(), await build()];
  expect(await readTemplates(second)).toEqual(await readTemplates(first));

  const assets = (await readdir(first)).filter((name) => name.startsWith("asset."));
  const files = await Promise.all(assets.map((name) => readdir(join(first, name))));
  const called = functionsOf(api).filter(({ kind }) => kind === "endpoint" || kind === "fallback");
  expect(files.filter((names) => names.includes("index.cache"))).toHaveLength(called.length);
  const template = (await readTemplates(first)).join();
  expect(template.split('"cached.handler"')).toHaveLength(called.length + 1);
});
