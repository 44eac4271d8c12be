import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { functionsOf } from "../../../infra/functions.ts";
import { api } from "../../../lambdas/api.ts";
import { readTemplates, synthesise } from "../../../local/synthesise.ts";
import { temporaryDirectory } from "../../local/project-fixture.ts";

test("each endpoint is deployed with a code cache", async () => {
  const directory = await temporaryDirectory();
  const assembly = await synthesise(directory, { context: { stage: "dev" }, makesCodeCaches: true });

  const assets = (await readdir(assembly)).filter((name) => name.startsWith("asset."));
  const files = await Promise.all(assets.map((name) => readdir(join(assembly, name))));
  const called = functionsOf(api).filter(({ kind }) => kind === "endpoint" || kind === "fallback");
  expect(files.filter((names) => names.includes("index.cache"))).toHaveLength(called.length);
  const template = (await readTemplates(assembly)).join();
  expect(template.split('"cached.handler"')).toHaveLength(called.length + 1);
});
