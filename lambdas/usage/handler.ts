import { usageCount } from "../domain/function-uses.ts";
import { notices } from "../domain/notices/notices-table.ts";
import { provingRights } from "../domain/prove-rights.ts";
import { tokens } from "../domain/tokens/tokens-table.ts";
import { usage } from "../domain/usage/usage-table.ts";
import { serveUsage } from "./serve-usage.ts";

export const handler = provingRights(serveUsage(), usageCount, { notices, tokens, usage });
