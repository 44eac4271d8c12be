import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { helpIfAsked } from "../local/help-if-asked.ts";
import { synthesise } from "../local/synthesise.ts";
import { everyOption, everyTableRestored } from "./support/every-option.ts";

// Separate from the tests, because cfn-lint is not an npm package and takes most of a minute.
helpIfAsked(`Usage: npx node tools/lint-templates.ts

Checks the templates of each stage, those of production with every option and with restored tables, and that of the pipeline's
role with cfn-lint, which must be installed.
`);

// W3005: the CDK declares that a function depends on its role, although the function's properties already imply that.
// W6001: the outputs with the names of the tables in use import the data stack's table names, unless an option names other tables.
const ignoredChecks = ["W3005", "W6001"];

const contexts = {
  production: {},
  staging: { stage: "staging" },
  development: { stage: "dev" },
  "every option": everyOption,
  "restored tables": everyTableRestored,
};

const folder = await mkdtemp(join(tmpdir(), "integration-api-templates-"));
try {
  const templates = [fileURLToPath(new URL("../examples/pipeline/role.yml", import.meta.url))];
  for (const [name, context] of Object.entries(contexts)) {
    const assembly = await synthesise(join(folder, name), { context });
    const files = (await readdir(assembly)).filter((file) => file.endsWith(".template.json"));
    templates.push(...files.map((file) => join(assembly, file)));
  }
  const { status, error } = spawnSync("cfn-lint", [...templates, "--ignore-checks", ...ignoredChecks], {
    stdio: "inherit",
  });
  if (error)
    process.stderr.write(`cfn-lint does not start (${error.message}): install it with pipx install cfn-lint.\n`);
  else if (status === 0) process.stdout.write(`cfn-lint accepts ${templates.length} templates.\n`);
  process.exitCode = status ?? 1;
} finally {
  await rm(folder, { recursive: true });
}
