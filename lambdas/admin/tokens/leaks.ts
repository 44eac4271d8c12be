import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { adminContract } from "../contract.ts";
import { longestUsageHours } from "./usage.ts";

export const leaks = action({
  contract: adminContract.leaks,
  summary:
    "Returns the tokens whose correct secret came from a wrong address within seven days: the last time for each, and the address.",
  uses: { usage: ["leaks"] },
  input: z.strictObject({}),
  example: {},
  async run(_, { stores }) {
    const since = new Date(Date.now() - longestUsageHours * 3_600_000).toISOString();
    return { leaks: await stores.usage.leaks(since) };
  },
});
