import { rename, writeFile } from "node:fs/promises";
import { api } from "../../lambdas/api.ts";
import { describeApi } from "./describe-api.ts";

const file = new URL("../../api-docs.json", import.meta.url);
const draft = new URL(`../../api-docs.json.${process.pid}`, import.meta.url);

// A running service may be reading the file, so it is replaced in one step.
await writeFile(draft, `${JSON.stringify(describeApi(api), null, 2)}\n`);
await rename(draft, file);
