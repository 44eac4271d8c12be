import { writeFile } from "node:fs/promises";
import { api } from "../lambdas/api.ts";
import { describeApi } from "./describe-api.ts";

await writeFile(new URL("../api-docs.json", import.meta.url), `${JSON.stringify(describeApi(api), null, 2)}\n`);
