import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { longestUsageHours } from "./usage.ts";

export const leaks = action({
  route: "GET /leaks",
  summary:
    "Answers the tokens whose right secret came from a wrong address within seven days: the last time of each, and the address.",
  uses: { usage: ["leaks"] },
  input: z.strictObject({}),
  async run(_, { stores }) {
    const since = new Date(Date.now() - longestUsageHours * 3_600_000).toISOString();
    return { leaks: await stores.usage.leaks(since) };
  },
});
