import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { LocalService } from "cdk-local-runner";
import type { Plugin } from "esbuild";
import { bundleFolderOf, readBundleSources } from "../../infra/build/bundles/assembly-files.ts";
import { bundleEntries } from "../../infra/build/bundles/bundle.ts";
import { projectFolder } from "../../infra/build/project-folder.ts";

export interface Replacement {
  /** Only in this file; in all files of `lambdas/` unless given. */
  file?: string;
  text: string;
  by: string;
}

const keyStore = "lambdas/resources/keys/keys-table.ts";
const tokenStore = "lambdas/resources/tokens/dynamodb-token-store.ts";
const tokenFields = "lambdas/resources/tokens/token-store.ts";
const lifeCycle = "lambdas/resources/tokens/life-cycle.ts";
const usageFormats = "lambdas/resources/usage/formats.ts";

/** By name, changes with which two versions cannot share a database, each made consistently within the new version. */
export const plants: Readonly<Record<string, readonly Replacement[]>> = {
  "renamed-attribute": [{ text: "secret_hash", by: "secret_digest" }],
  "new-required-field": [
    { file: tokenFields, text: "tokenFields = {", by: "tokenFields = { owner: text()," },
    { text: "hashSecret(text.secret),", by: 'hashSecret(text.secret), owner: "somebody",' },
  ],
  "other-hash": [
    { file: "lambdas/resources/tokens/token-text.ts", text: 'createHash("sha256")', by: 'createHash("sha512-256")' },
  ],
  "other-time-format": [
    { file: keyStore, text: "{ v_code, created_at,", by: "{ v_code, created_at: String(Date.parse(created_at))," },
    {
      file: "lambdas/resources/keys/keys-table.ts",
      text: "created_at: time,",
      by: "created_at: textOfLength({ min: 13, max: 24 }),",
    },
  ],
  "other-key-format": [
    { file: "lambdas/resources/limits/limits-table.ts", text: "{ minute_id: `", by: "{ minute_id: `v2/" },
  ],
  "new-state": [
    {
      file: tokenStore,
      text: "set: () => ({ ...by, delete_at: deleteAt(by.revoked_at) })",
      by: "set: () => ({ suspended_at: by.revoked_at })",
    },
    { file: tokenFields, text: "tokenFields = {", by: "tokenFields = { suspended_at: optional(time)," },
    {
      file: lifeCycle,
      text: "if (revoked_at !== undefined)",
      by: "if ((revoked_at ?? record.suspended_at) !== undefined)",
    },
  ],
  "open-invitation": [
    {
      file: "lambdas/admin/tokens/invite.ts",
      text: "secret_hash: hashSecret(generateTokenText().secret)",
      by: "secret_hash: hashSecret(text.secret)",
    },
  ],
  "other-nesting": [
    {
      file: "lambdas/resources/usage/usage-hour.ts",
      text: "JSON.stringify({ time, ...refusal })",
      by: "JSON.stringify({ time, refusal: { time, ...refusal } })",
    },
    { file: usageFormats, text: "JSON.parse(value)", by: "(JSON.parse(value).refusal ?? JSON.parse(value))" },
  ],
  "other-cursor": [{ file: "lambdas/validation/paging.ts", text: '"base64url"', by: '"hex"' }],
};

export const plantNames = Object.keys(plants);

interface PlantOptions {
  assemblyDirectory: string;
  /** Where the changed functions are written. */
  directory: string;
}

/** Changes the code of a running service. Only functions whose bundles differ get new code. */
export const plantBug = async (
  service: Pick<LocalService, "replaceCode">,
  name: string,
  { assemblyDirectory, directory }: PlantOptions,
): Promise<void> => {
  const replacements = plants[name] ?? [];
  const sources = await readBundleSources(assemblyDirectory);
  const missing = new Set(replacements);
  for (const bundle of await bundleEntries(sources, { plugins: [replacePlugin(replacements, missing)] })) {
    const deployed = await readFile(join(bundleFolderOf(assemblyDirectory, bundle.name), "index.js"));
    if (deployed.equals(bundle.code)) continue;
    const codeDirectory = join(directory, bundle.name);
    await mkdir(codeDirectory, { recursive: true });
    await writeFile(join(codeDirectory, "index.js"), bundle.code);
    service.replaceCode(bundle.name, codeDirectory);
  }
  if (missing.size > 0) {
    const texts = [...missing].map(({ text }) => text).join("\n");
    throw new Error(`The sources no longer contain what the plant ${name} replaces. Correct the plant:\n${texts}`);
  }
};

/** Replaces the texts, and removes those that it finds from the list of missing ones. */
const replacePlugin = (replacements: readonly Replacement[], missing: Set<Replacement>): Plugin => ({
  name: "plant",
  setup(build) {
    build.onLoad({ filter: /[/\\]lambdas[/\\].*\.ts$/ }, async ({ path }) => {
      const file = relative(projectFolder, path).replaceAll("\\", "/");
      let contents = await readFile(path, "utf8");
      for (const replacement of replacements) {
        const { file: only = file, text, by } = replacement;
        if (only !== file || !contents.includes(text)) continue;
        contents = contents.replaceAll(text, by);
        missing.delete(replacement);
      }
      return { contents, loader: "ts" };
    });
  },
});
