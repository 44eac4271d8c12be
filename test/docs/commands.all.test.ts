import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, inject, test } from "vitest";
import { readOptions } from "../../infra/stages/options.ts";
import { storeNames } from "../../lambdas/domain/built-in-stores.ts";
import { documents } from "../../tools/support/documents.ts";
import { paste } from "../../tools/support/paste.ts";
import { requirePrograms } from "../support/programs.ts";
import { commandBlocks, nameOf } from "./pasted-blocks.ts";

const project = new URL("../../", import.meta.url);

/** The commands of all documents, in the order in which each block runs them. */
let blocks: { name: string; calls: string[][] }[];
beforeAll(async () => {
  blocks = [];
  for (const block of commandBlocks()) {
    const { calls } = await paste(block);
    blocks.push({ name: nameOf(block), calls: calls.map(({ words }) => words) });
  }
});
beforeEach((context) => requirePrograms(context, "bash", "jq"));

const calls = () => blocks.flatMap(({ name, calls: made }) => made.map((words) => ({ name, words })));
const optionOf = (words: string[], option: string): string => words[words.indexOf(option) + 1] ?? "";

test("every command also reads list entries after the first page", () => {
  // With `--output text`, the AWS command line applies a query to each page. This operation returns 100 resources and no pages.
  const incomplete = calls().filter(({ words: [program, , operation, ...words] }) => {
    const query = optionOf(words, "--query").replace(/^Stacks\[0\]/, "");
    const isPerPage =
      words.includes("text") &&
      /\[-?\d*:-?\d*\]|\[-?\d+\]|\b(?:sort|max|min|length|reverse)\w*\(|[^|]\|[^|]/.test(query);
    return program === "aws" && (isPerPage || operation === "describe-stack-resources");
  });

  expect(incomplete).toEqual([]);
});

test("every CDK command names its stage and existing stacks, with options that the CDK accepts", () => {
  const cdk = calls().filter(({ words }) => words[0] === "npx" && /cdk\b/.test(words[1] ?? ""));
  const withStacks = cdk.filter(({ words: [, program, command] }) => program === "cdk" && command !== "bootstrap");

  expect(withStacks.length).toBeGreaterThan(8);
  for (const { name, words } of withStacks) {
    const given = words.flatMap((word, index) => (words[index - 1] === "-c" ? [word.split("=")] : []));
    const stacks = words
      .slice(3)
      .filter((word, index, all) => !word.startsWith("-") && !/^(?:-c|--require-approval)$/.test(all[index - 1] ?? ""));

    expect(() => readOptions(Object.fromEntries(given), storeNames), name).not.toThrow();
    expect(Object.fromEntries(given), name).toHaveProperty("stage");
    expect(stacks.length > 0 || words.includes("--all"), name).toBe(true);
    for (const stack of stacks) expect(["IntegrationApi", "IntegrationApiData"], name).toContain(stack);
  }
});

test("the rollback block deploys from a separate worktree, with the stage's options and without the data stack", () => {
  const goingBack = blocks.filter(({ calls: made }) =>
    made.some(([program]) => program === "git" && made.some((one) => one.includes("deploy"))),
  );

  expect(goingBack.length).toBe(1);
  for (const { calls: made } of goingBack) {
    const programs = made.map(([program, first]) => `${program} ${first}`);
    expect(programs).toEqual(["git worktree", "aws cloudformation", "npm ci", "npx cdk"]);
    expect(made.at(-1)).toEqual(expect.arrayContaining(["IntegrationApi", "--exclusively", "useCodeDeploy=false"]));
  }
});

test("every output that a document reads belongs to the named stack", async () => {
  const outputsOf = async (stack: string) =>
    JSON.parse(await readFile(join(inject("assemblyDirectory"), `${stack}.template.json`), "utf8")).Outputs;
  const outputs = { data: await outputsOf("IntegrationApiData"), api: await outputsOf("IntegrationApi") };
  const read = await Promise.all(documents().map((document) => readFile(new URL(document, project), "utf8")));
  const named = [...read.join("\n").matchAll(/(?:\$\(|`)output (\w+)( "[^"]*-data")?/g)];

  expect(named.length).toBeGreaterThan(8);
  for (const [text, output = "", data] of named) {
    expect(data === undefined ? outputs.api : outputs.data, text).toHaveProperty(output);
  }
});
