// Plain JavaScript that needs only Node.js: it installs the packages that the benchmark compares with.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** @type {(command: string, words: string[]) => void} */
const run = (command, words) => {
  const { status, error } = spawnSync(command, words, {
    cwd: folder,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error(`${[command, ...words].join(" ")} failed${error ? `: ${error.message}` : ""}.`);
    process.exit(status ?? 1);
  }
};

// npm writes this file last.
if (!existsSync(new URL("node_modules/.package-lock.json", import.meta.url))) run("npm", ["ci"]);
run("tsc", ["-p", "."]);
await import("./run.ts");
