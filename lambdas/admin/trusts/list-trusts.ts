import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { readTrusts } from "../../domain/tokens/trust.ts";
import { adminContract } from "../contract.ts";
import { trustResponse } from "./trust-response.ts";

export const listTrusts = action({
  contract: adminContract.list_trusts,
  summary:
    "Returns all trusted workloads, and for 90 days those that have ended. A new one may take a second to appear.",
  uses: { tokens: ["find", "changed"] },
  input: z.strictObject({}),
  example: {},
  async run(_, { stores }) {
    return { trusts: (await readTrusts(stores.tokens)).map(trustResponse) };
  },
});
