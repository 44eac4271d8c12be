import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { api } from "../../../../lambdas/api.ts";
import { operationsOf } from "../../../../lambdas/declaration/operations.ts";
import { type BundleFiles, bundlesOf } from "../../../support/template.ts";

const maximumBytes = 230_000;

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

describe.each(functionNames)("the bundle of %s", (functionName) => {
  test(`has at most ${maximumBytes} bytes`, async () => {
    expect((await readFile(bundles[functionName] ?? "")).length).toBeLessThanOrEqual(maximumBytes);
  });

  test("contains no module that no function uses", async () => {
    const code = await readFile(bundles[functionName] ?? "", "utf8");
    expect(Object.entries(unused).filter(([, text]) => code.includes(text))).toEqual([]);
  });
});
