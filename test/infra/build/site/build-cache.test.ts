import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { cachedBuild } from "../../../../infra/build/site/web-interface.ts";

const name = `test-${process.pid}`;
afterEach(() =>
  rm(fileURLToPath(new URL(`../../../../node_modules/.cache/${name}`, import.meta.url)), { recursive: true }),
);

const files = [{ path: "/a.js", contentType: "text/javascript", bytes: Buffer.from([0, 255, 10]), isImmutable: true }];

test("with the same inputs, files are built once and then reused unchanged", async () => {
  const build = vi.fn(async () => files);
  const inputs = ["infra", "package-lock.json"];

  expect(await cachedBuild({ name, inputs, build })).toEqual(files);
  expect(await cachedBuild({ name, inputs, build })).toEqual(files);
  expect(build).toHaveBeenCalledTimes(1);
});

test("with other inputs, files are built again", async () => {
  const build = vi.fn(async () => files);
  await cachedBuild({ name, inputs: ["package.json"], build });
  await cachedBuild({ name, inputs: ["tsconfig.json"], build });

  expect(build).toHaveBeenCalledTimes(2);
});

test("a missing input is reported by name", async () => {
  const build = vi.fn(async () => files);
  await cachedBuild({ name, inputs: ["package.json"], build });

  await expect(cachedBuild({ name, inputs: ["no-such-file"], build })).rejects.toThrow("no-such-file");
});
