import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Outcome, Trial } from "../lab/experiment.ts";
import { copyProject } from "../support/copy-project.ts";

/** A change that a recipe of CONTRIBUTING.md describes, made exactly as described. */
interface Recipe {
  /** Its heading in CONTRIBUTING.md. */
  title: string;
  /** A folder of this one whose files are new. */
  folder?: string;
  /** Other new files by path. */
  files?: Record<string, string>;
  /** Lines to add: each before the first line that begins with a text, or in its place. */
  lines: readonly (readonly [file: string, before: string, line: string, place?: "instead"])[];
}

const project = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string): Promise<string> => readFile(join(project, file), "utf8");

const keys = "lambdas/v1/keys.ts";
const contract = "lambdas/admin/contract.ts";

/** The endpoint of the test's second version, as a part of the first one and at another path. */
const countKeys = async (): Promise<string> =>
  (await read("test/fixtures/two-versions/v2/count-keys.ts"))
    .replace("../../../../lambdas/", "../")
    .replace('"/key"', '"/key-count"');

const recipes: Readonly<Record<string, () => Promise<Recipe>>> = {
  endpoint: async () => ({
    title: "An endpoint",
    files: { "lambdas/v1/count-keys.ts": await countKeys() },
    lines: [
      [keys, "import { createKey", 'import { countKeys } from "./count-keys.ts";'],
      [
        keys,
        "  endpoints:",
        "  endpoints: { countKeys, createKey, deleteKey, getKey, listKeys, replaceKey },",
        "instead",
      ],
    ],
  }),
  action: async () => ({
    title: "An admin action with its dialog",
    folder: "action",
    lines: [
      ["lambdas/admin/actions.ts", "export", 'export { count } from "./tokens/count.ts";'],
      [contract, "import { addressCheck", 'import { tokenCount } from "./tokens/count-response.ts";'],
      [contract, "  create_key:", '  count: { route: "GET /count", response: tokenCount },'],
    ],
  }),
  version: async () => ({
    title: "A version of the API",
    lines: [
      [
        "lambdas/api.ts",
        "export const api",
        'export const api = service({ name: "IntegrationApi", title: "Integration API", versions: { v1: [tokens, keys], v2: [tokens, keys] } });',
        "instead",
      ],
    ],
  }),
};

/**
 * Follows recipes of CONTRIBUTING.md in a copy of the project each, and runs what CONTRIBUTING.md says to run for them. The smoke
 * form only looks for the places to change, and for the tests to run.
 */
export const tryRecipes = async ({ parts, isSmoke, say, directory }: Trial): Promise<Outcome> => {
  const problems: string[] = [];
  for (const name of parts) {
    const recipe = await recipes[name]?.();
    if (!recipe) throw new Error(`There is no recipe ${name}.`);
    const tests = await testsOf(recipe.title);
    const missing = tests.length > 0 ? [] : [`CONTRIBUTING.md does not say which tests to run for "${recipe.title}".`];
    for (const [file, before] of recipe.lines) {
      if (placeIn(await read(file), before) === 0)
        missing.push(`${name}: ${file} has no line that begins with: ${before}`);
    }
    problems.push(...missing);
    if (isSmoke || missing.length > 0) continue;

    const copy = join(directory, name);
    await copyProject(copy);
    await follow(recipe, copy);
    const commands = ["npm run format", "npm run docs", "npm run typecheck", "npm run lint"];
    for (const command of [...commands, ...tests]) {
      say(`${name}$ ${command}`);
      const child = spawn(command, { cwd: copy, shell: true, stdio: "inherit" });
      await once(child, "close");
      if (child.exitCode === 0) continue;
      problems.push(`${name}: ${command} failed.`);
      break;
    }
  }
  return { problems };
};

/** The commands in the recipe that run tests. */
const testsOf = async (title: string): Promise<string[]> => {
  const section = (await read("CONTRIBUTING.md")).split(/^### /m).find((text) => text.startsWith(`${title}\n`)) ?? "";
  return [...section.matchAll(/`(npx vitest run [^`]+)`/g)].map(([, command = ""]) => command.replaceAll("\n", " "));
};

/** Where the first line begins that begins with a text; 0 if there is none. */
const placeIn = (text: string, before: string): number => text.indexOf(`\n${before}`) + 1;

const follow = async ({ folder, files = {}, lines }: Recipe, copy: string): Promise<void> => {
  if (folder !== undefined) await cp(new URL(folder, import.meta.url), copy, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await writeFile(join(copy, file), text);
  }
  for (const [file, before, line, how] of lines) {
    const text = await readFile(join(copy, file), "utf8");
    const place = placeIn(text, before);
    const rest = how === "instead" ? text.indexOf("\n", place) + 1 : place;
    await writeFile(join(copy, file), `${text.slice(0, place)}${line}\n${text.slice(rest)}`);
  }
};
