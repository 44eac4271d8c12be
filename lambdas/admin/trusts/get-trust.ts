import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleTrust } from "../../domain/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { requireTrust } from "./changed-trust.ts";
import { trustId } from "./trust-fields.ts";
import { trustResponse } from "./trust-response.ts";

export const getTrust = action({
  contract: adminContract.get_trust,
  summary: "Returns a trusted workload.",
  uses: { tokens: ["find"] },
  input: z.strictObject({ trust_id: trustId }),
  example: { trust_id: exampleTrust.token_id },
  async run({ trust_id }, { stores }) {
    return trustResponse(requireTrust(await stores.tokens.find(trust_id)));
  },
});
