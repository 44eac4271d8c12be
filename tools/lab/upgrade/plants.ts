import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalService } from "cdk-local-runner";
import { bundleFolderOf, readBundleSources } from "../../../infra/bundles/assembly-files.ts";
import { bundleEntries } from "../../../infra/bundles/bundle.ts";
import { buildWithPlant, type Plants } from "../planted-code.ts";

const keyStore = "lambdas/domain/keys/keys-table.ts";
const tokenFields = { file: "lambdas/domain/tokens/token-store.ts", text: "tokenFields = {" };

/** Changes after which two versions cannot share a database. Each change is consistent within the new version. */
export const plants: Plants = {
  "renamed-attribute": [{ text: "secret_hash", by: "secret_digest" }],
  "new-required-field": [
    { ...tokenFields, by: "tokenFields = { owner: text()," },
    { text: "hashSecret(text.secret),", by: 'hashSecret(text.secret), owner: "somebody",' },
  ],
  "other-hash": [
    { file: "lambdas/domain/tokens/token-value.ts", text: 'createHash("sha256")', by: 'createHash("sha512-256")' },
  ],
  "other-time-format": [
    { file: keyStore, text: "{ v_code, created_at,", by: "{ v_code, created_at: String(Date.parse(created_at))," },
    { file: keyStore, text: "created_at: time,", by: "created_at: textOfLength({ min: 13, max: 24 })," },
  ],
  "other-key-format": [{ text: "{ minute_id: `", by: "{ minute_id: `v2/" }],
  "new-state": [
    {
      text: "set: () => ({ ...by, delete_at: deleteAt(by.revoked_at) })",
      by: "set: () => ({ suspended_at: by.revoked_at })",
    },
    { ...tokenFields, by: "tokenFields = { suspended_at: optional(time)," },
    { text: "if (revoked_at !== undefined ||", by: "if ((revoked_at ?? record.suspended_at) !== undefined ||" },
  ],
  "other-nesting": [
    { text: "JSON.stringify({ time, ...refusal })", by: "JSON.stringify({ time, refusal: { time, ...refusal } })" },
    {
      file: "lambdas/domain/usage/usage-formats.ts",
      text: "JSON.parse(value)",
      by: "(JSON.parse(value).refusal ?? JSON.parse(value))",
    },
  ],
  "other-cursor": [{ file: "lambdas/shared/validation/paging.ts", text: '"base64url"', by: '"hex"' }],
};

interface PlantOptions {
  assemblyDirectory: string;
  /** The folder for the changed functions. */
  directory: string;
}

/** Changes the code of a running service. Only functions whose bundles differ get new code. */
export const plantBug = async (
  service: Pick<LocalService, "replaceCode">,
  name: string,
  { assemblyDirectory, directory }: PlantOptions,
): Promise<void> => {
  const sources = await readBundleSources(assemblyDirectory);
  for (const bundle of await buildWithPlant(plants, name, (plugin) => bundleEntries(sources, { plugins: [plugin] }))) {
    const deployed = await readFile(join(bundleFolderOf(assemblyDirectory, bundle.name), "index.js"));
    if (deployed.equals(bundle.code)) continue;
    const codeDirectory = join(directory, bundle.name);
    await mkdir(codeDirectory, { recursive: true });
    await writeFile(join(codeDirectory, "index.js"), bundle.code);
    service.replaceCode(bundle.name, codeDirectory);
  }
};
