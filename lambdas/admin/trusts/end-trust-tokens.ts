import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleTrust } from "../../domain/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { changeTrust } from "./changed-trust.ts";
import { trustId } from "./trust-fields.ts";
import { trustResponse } from "./trust-response.ts";

export const endTrustTokens = action({
  contract: adminContract.end_trust_tokens,
  summary:
    "Ends all tokens of a trusted workload with their next request. The workload stays trusted and can exchange a new JWT.",
  uses: { tokens: ["find", "changeTrust"] },
  input: z.strictObject({ trust_id: trustId }),
  example: { trust_id: exampleTrust.token_id },
  async run({ trust_id }, { author, stores }) {
    const note = { kind: "trust_updated" as const, author, details: { tokens: "ended" } };
    const { trust } = await changeTrust(stores.tokens, { trust_id, note, terms: () => ({ endsTokens: true }) });
    return trustResponse(trust);
  },
});
