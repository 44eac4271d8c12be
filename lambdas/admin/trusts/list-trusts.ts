import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { readTrusts } from "../../domain/tokens/trust.ts";
import { adminContract } from "../contract.ts";
import { ofClient } from "../tokens/token-fields.ts";
import { trustResponse } from "./trust-response.ts";

export const listTrusts = action({
  contract: adminContract.list_trusts,
  summary:
    "Returns all trusted workloads, and for 90 days those that have ended. A new one may take a second to appear.",
  uses: { tokens: ["find", "changed"] },
  input: z.strictObject({ client: ofClient }),
  example: {},
  async run({ client }, { stores }) {
    const trusts = await readTrusts(stores.tokens);
    return { trusts: trusts.filter((trust) => client === undefined || trust.client === client).map(trustResponse) };
  },
});
