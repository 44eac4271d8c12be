import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runsTypeScript, runTypeScript } from "./run-typescript.mjs";

// This is not an npm script, because npm would print its banner on stdout and take options for itself. An older Node.js hands over
// to the one that npm ci has installed.

const pathOf = (/** @type {string} */ file) => fileURLToPath(new URL(file, import.meta.url));
const projectNode = pathOf("../node_modules/.bin/node");
const notSent = 2;

if (!runsTypeScript && existsSync(projectNode)) {
  const { status, error } = spawnSync(projectNode, [pathOf("admin.mjs"), ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  if (error) throw error;
  // Null if a signal such as Ctrl-C ended the process.
  process.exitCode = status ?? 130;
} else {
  await runTypeScript("admin", notSent);
}
