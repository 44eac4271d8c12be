import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import { operationsOf } from "../../lambdas/declaration/api.ts";
import { constructIdOf, readTemplate } from "../support/template.ts";

const maximumBytes = 200_000;

/** The code of a function as it is deployed. */
const codeOf = async (functionName: string): Promise<string> => {
  const functions = Object.values((await readTemplate()).ofType("AWS::Lambda::Function"));
  const found = functions.find((resource) => constructIdOf(resource) === functionName);
  if (!found) throw new Error(`there is no function ${functionName}`);
  return readFile(join(inject("assemblyDirectory"), String(found.Metadata["aws:asset:path"]), "index.js"), "utf8");
};

/** Texts that stand in what a function has no use for, and nowhere else. */
const unwanted = {
  "the whole of zod": '"ZodString"',
  "what writes descriptions of the API": "json-schema.org",
  "the SDK's keys from a container": "169.254.170.2",
  "the SDK's keys from other services": "AssumeRoleWithWebIdentity",
  "the SDK's rules for addresses": "dnsSuffix",
  "the SDK's errors for backups": "BackupInUseException",
  "the SDK's settings from files": "AWS_SHARED_CREDENTIALS_FILE",
};

/** Expressions that are written in one store alone. */
const expressionsOf = {
  keys: "if_not_exists(v_code",
  tokens: "attribute_not_exists(revoked_at)",
  limits: "taken < :limit",
  usage: "earlier_batches",
};

/** What the description of the API says of its endpoints and of their answers. */
const documentation = operationsOf(api).flatMap(({ endpoint }) => [
  endpoint.description,
  ...Object.values(endpoint.responses).map(({ description }) => description),
]);

const functionNames = [...operationsOf(api).map(({ functionName }) => functionName), "fallback"];

describe.each(functionNames)("the bundle of %s", (functionName) => {
  test(`is ${maximumBytes} bytes at most`, async () => {
    expect(Buffer.byteLength(await codeOf(functionName))).toBeLessThanOrEqual(maximumBytes);
  });

  test("holds nothing that a function has no use for", async () => {
    const code = await codeOf(functionName);
    expect(Object.entries(unwanted).filter(([, text]) => code.includes(text))).toEqual([]);
  });

  test("holds nothing that only the documentation reads", async () => {
    const code = await codeOf(functionName);
    expect(documentation.filter((text) => code.includes(text))).toEqual([]);
    expect(code).not.toMatch(/\bexamples:|The verification code: a secret/);
  });

  test("holds no store that the function does not use", async () => {
    const code = await codeOf(functionName);
    const stores = functionsOf(api).find(({ name }) => name === functionName)?.uses ?? {};
    const held = Object.entries(expressionsOf).filter(([, expression]) => code.includes(expression));
    expect(held.map(([store]) => store)).toEqual(Object.keys(expressionsOf).filter((store) => store in stores));
  });
});
