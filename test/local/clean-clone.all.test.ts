import { execFileSync } from "node:child_process";
import { appendFileSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { projectCopy, run, start } from "./project-fixture.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const git = (folder: string, ...words: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], {
    cwd: folder,
    encoding: "utf8",
  });

// `npm ci` makes the command of a workspace executable, and `npx` that of the top folder. Git would see that as a change, and refuse to check out another release.
test("the commands of all packages are executable in git, as npm makes them", () => {
  const commands = globSync("{.,packages/*}/package.json", { cwd: repository }).flatMap((manifest) => {
    const { bin = {} } = JSON.parse(readFileSync(join(repository, manifest), "utf8"));
    return Object.values<string>(bin).map((file) => join(dirname(manifest), file));
  });

  expect(commands.length).toBeGreaterThan(1);
  for (const file of commands) expect(git(repository, "ls-files", "--stage", file), file).toMatch(/^100755 /);
});

test("git sees no change after npm start and cdk synth", async () => {
  const project = await projectCopy();
  git(project, "init", "--quiet");
  // The installed packages are links here, which a pattern for a folder does not match.
  appendFileSync(join(project, ".git/info/exclude"), "node_modules\n");
  git(project, "add", "--all");
  git(project, "commit", "--quiet", "--message", "A release");

  await start(project, await freePort()).says("Stop: Ctrl-C");
  expect(await run(project, ["node_modules/.bin/cdk", "synth", "--quiet"], { CDK_VALIDATION: "false" }).ended).toBe(0);

  expect(git(project, "status", "--porcelain")).toBe("");
});
