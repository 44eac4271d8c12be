#!/usr/bin/env node
// The command of the package. Each service calls these modules as `integration-api <name>`. Plain JavaScript, so that any Node.js
// can read the file.

/** @type {Record<string, [module: string, ...words: string[]]>} */
const commands = {
  start: ["start"],
  dev: ["start", "--watch"],
  admin: ["admin"],
  days: ["days"],
  docs: ["docs"],
  client: ["client"],
  new: ["new"],
  upgrade: ["new", "--upgrade"],
};

const [name = "", ...words] = process.argv.slice(2);
const [module, ...given] = commands[name] ?? [];
if (module === undefined) {
  const usage = `Usage: integration-api ${Object.keys(commands).join(" | ")}\n\nWith --help, each says what it does.\n`;
  const isAsked = name === "--help" || name === "-h";
  (isAsked ? process.stdout : process.stderr).write(usage);
  process.exit(isAsked ? 0 : 2);
}
process.argv.splice(2, Number.POSITIVE_INFINITY, ...given, ...words);
await import(`./${module}.mjs`);
