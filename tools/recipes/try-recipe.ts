import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Recipe, recipesFor } from "./recipes.ts";

/*
 * Follows recipes of CONTRIBUTING.md in a copy of the project, and runs what CONTRIBUTING.md says to run for them:
 * npm run try-recipe -- endpoint. With --all it runs every test. Without a name it follows all recipes, one after the other.
 */

const project = fileURLToPath(new URL("../..", import.meta.url));
const leftOut = new Set(["node_modules", ".git", ".local", "cdk.out", "dist"]);

const copyProject = async (folder: string): Promise<void> => {
  await cp(project, folder, { recursive: true, filter: (path) => !leftOut.has(basename(path)) });
  for (const packages of ["node_modules", "packages/client/node_modules"]) {
    await symlink(join(project, packages), join(folder, packages));
  }
};

const follow = async ({ folder, files = {}, lines }: Recipe, copy: string): Promise<void> => {
  if (folder !== undefined) await cp(new URL(folder, import.meta.url), copy, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await writeFile(join(copy, file), text);
  }
  for (const [file, before, line] of lines) {
    const text = await readFile(join(copy, file), "utf8");
    const index = text.indexOf(`\n${before}`) + 1;
    if (index === 0) throw new Error(`${file} has no line that begins with: ${before}`);
    await writeFile(join(copy, file), `${text.slice(0, index)}${line}\n${text.slice(index)}`);
  }
};

/** The commands in the recipe that run tests. */
const testsOf = async (title: string): Promise<string[]> => {
  const contributing = await readFile(join(project, "CONTRIBUTING.md"), "utf8");
  const section = contributing.split(/^### /m).find((text) => text.startsWith(`${title}\n`));
  const commands = [...(section ?? "").matchAll(/`(npx vitest run [^`]+)`/g)].map(([, command = ""]) => command);
  if (commands.length === 0) throw new Error(`CONTRIBUTING.md does not say which tests to run for "${title}".`);
  return commands.map((command) => command.replaceAll("\n", " "));
};

const run = async (command: string, cwd: string): Promise<boolean> => {
  process.stdout.write(`$ ${command}\n`);
  const child = spawn(command, { cwd, shell: true, stdio: "inherit" });
  await once(child, "close");
  return child.exitCode === 0;
};

const tryRecipe = async (recipe: Recipe, runsAll: boolean): Promise<boolean> => {
  process.stdout.write(`\n# ${recipe.title}\n`);
  const copy = await mkdtemp(join(tmpdir(), "integration-api-recipe-"));
  try {
    await copyProject(copy);
    await follow(recipe, copy);
    const tests = runsAll ? ["npx vitest run"] : await testsOf(recipe.title);
    for (const command of ["npm run format", "npm run docs", "npm run typecheck", "npm run lint", ...tests]) {
      if (!(await run(command, copy))) return false;
    }
    return true;
  } finally {
    await rm(copy, { recursive: true });
  }
};

const recipes = recipesFor(await readFile(join(project, "lambdas/v1/endpoints.ts"), "utf8"));
const words = process.argv.slice(2);
const names = words.filter((word) => word !== "--all");
const unknown = names.find((name) => !(name in recipes));
if (unknown !== undefined) {
  process.stderr.write(`There is no recipe ${unknown}. The recipes are: ${Object.keys(recipes).join(", ")}.\n`);
  process.exitCode = 1;
} else {
  for (const [name, recipe] of Object.entries(recipes)) {
    if (names.length > 0 && !names.includes(name)) continue;
    if (!(await tryRecipe(recipe, words.includes("--all")))) process.exitCode = 1;
  }
}
