import { readFile, writeFile } from "node:fs/promises";
import * as z from "zod/mini";
import { api } from "../../lambdas/api.ts";
import { key, keyContents, replaceable, shownContents, writtenKey } from "../../lambdas/domain/keys/key-fields.ts";
import { helpIfAsked } from "../../local/help-if-asked.ts";
import { clientModelOf, type Description } from "../../openapi/clients/client-model.ts";
import { pythonErrorCodesOf } from "../../openapi/clients/python-operations.ts";
import { apiTypesOf } from "../../openapi/clients/typescript-types.ts";
import { describeApi } from "../../openapi/describe-api.ts";
import { generateKeys } from "../../packages/python-client/generate-keys.ts";
import { errorPage, lifeCyclePage, noticeSchema, withRedeemingCommands } from "./pages.ts";

const project = new URL("../../", import.meta.url);

const description = (): Description => JSON.parse(JSON.stringify(describeApi(api)));

/** The generated documents, by file. */
export const documents: Readonly<Record<string, () => string | Promise<string>>> = {
  "docs/errors.md": errorPage,
  "docs/guide/invitations.md": async () =>
    withRedeemingCommands(await readFile(new URL("docs/guide/invitations.md", project), "utf8")),
  "docs/life-cycle.md": lifeCyclePage,
  "docs/notice-event.schema.json": noticeSchema,
  "packages/client/src/api-types.ts": () => apiTypesOf(clientModelOf(description())).source,
  "packages/python-client/src/integration_api_client/error_codes.py": () =>
    pythonErrorCodesOf(clientModelOf(description())),
  "packages/python-client/src/integration_api_client/keys.py": () =>
    generateKeys({
      key: z.toJSONSchema(z.object(key.shape)),
      created: z.toJSONSchema(writtenKey, { io: "input" }),
      replaced: z.toJSONSchema(keyContents, { io: "input" }),
      replaceable,
      secrets: Object.keys(keyContents.shape).filter((name) => !(name in shownContents.shape)),
    }),
};

if (import.meta.main) {
  helpIfAsked(`Usage: npm run docs [-- <file> …]

Writes the generated documents, or only some of them: ${Object.keys(documents).join(", ")}.`);
  const files = process.argv.slice(2);
  for (const file of files.length > 0 ? files : Object.keys(documents)) {
    const create = documents[file];
    if (!create) throw new Error(`${file} is not generated. These are: ${Object.keys(documents).join(", ")}.`);
    await writeFile(new URL(file, project), await create());
  }
}
