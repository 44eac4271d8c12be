import { notices } from "../../resources/notices/notices-table.ts";
import { tokens } from "../../resources/tokens/tokens-table.ts";
import { usage } from "../../resources/usage/usage-table.ts";
import { usageCount } from "../../resources/uses.ts";
import { provingRights } from "../prove-rights.ts";
import { serveUsage } from "../serve-usage.ts";

export const handler = provingRights(serveUsage(), usageCount, { notices, tokens, usage });
