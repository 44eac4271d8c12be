import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { functionResources, writeAssembly } from "../support/assemblies.ts";
import { runningService, temporaryDirectory } from "../support/services.ts";

const source = `interface Event {
  fail: boolean;
}

const assertFine = ({ fail }: Event): void => {
  if (fail) throw new RangeError("not fine");
};

export const handler = async (event: Event): Promise<string> => {
  console.error(new Error("logged"));
  assertFine(event);
  return "fine";
};
`;

/** Runs a function bundled by esbuild with its source map outside the bundle. */
const bundledService = async (format: "cjs" | "esm" = "cjs") => {
  const directory = await temporaryDirectory();
  const [file, name] = [join(directory, "handler.ts"), format === "cjs" ? "index.js" : "index.mjs"];
  await writeFile(file, source);
  const assembly = await writeAssembly(directory, { resources: functionResources("f"), code: { f: {} } });
  const bundle = join(assembly, "asset.f", name);
  await build({
    entryPoints: [file],
    outfile: bundle,
    format,
    bundle: true,
    minify: true,
    platform: "node",
    sourcemap: "external",
  });
  // At the same folder depth as the bundle, because the map's paths are relative.
  const map = join(directory, "maps of functions", "f", `${name}.map`);
  await mkdir(dirname(map), { recursive: true });
  await rename(`${bundle}.map`, map);
  const service = await runningService({
    assembly,
    sourceMapOf: (functionName) => (functionName === "f" ? map : undefined),
  });
  return { service, file, bundle };
};

test.each(["cjs", "esm"] as const)("stack traces of a bundle show TypeScript files and lines (%s)", async (format) => {
  const { service, file } = await bundledService(format);
  const { payload, log } = await service.invoke("f", { fail: true });

  const { trace } = JSON.parse(payload);
  expect(trace[1]).toContain(`${file}:6:19`);
  expect(trace.join("\n")).toContain(`${file}:11:3`);
  expect(log).toContain(`${file}:10:17`);
});

test("the bundle is identical to the deployed one, and does not refer to a source map", async () => {
  const { service, bundle } = await bundledService();
  const before = await readFile(bundle, "utf8");
  await service.invoke("f", { fail: false });

  expect(await readFile(bundle, "utf8")).toBe(before);
  expect(before).not.toContain("sourceMappingURL");
});
