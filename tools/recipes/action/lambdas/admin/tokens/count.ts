import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { adminContract } from "../contract.ts";

export const count = action({
  contract: adminContract.count,
  summary: "Counts the tokens of a page.",
  uses: { tokens: ["list"] },
  input: z.strictObject({}),
  example: {},
  async run(_, { stores }) {
    const { tokens } = await stores.tokens.list({ limit: 1000 });
    return { count: tokens.length };
  },
});
