import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { adminContract } from "../contract.ts";
import { longestUsageHours } from "./usage.ts";

export const leaks = action({
  contract: adminContract.leaks,
  summary:
    "Returns the tokens whose correct secret came from a wrong address within seven days: for each, the last time and up to 20 addresses.",
  uses: { usage: ["leaks"] },
  input: z.strictObject({}),
  example: {},
  async run(_, { stores }) {
    const since = new Date(Date.now() - longestUsageHours * 3_600_000).toISOString();
    const leaks = await stores.usage.leaks(since);
    return { leaks: leaks.map(({ unlisted_at = null, ...leak }) => ({ ...leak, unlisted_at })) };
  },
});
