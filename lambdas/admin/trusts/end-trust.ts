import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleTrust } from "../../domain/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { changeTrust } from "./changed-trust.ts";
import { trustId } from "./trust-fields.ts";
import { trustResponse } from "./trust-response.ts";

export const endTrust = action({
  contract: adminContract.end_trust,
  summary:
    "Stops trusting a workload: its JWTs are rejected, and its tokens end with their next request. A trust that has already ended stays unchanged.",
  uses: { tokens: ["find", "changeTrust"] },
  input: z.strictObject({ trust_id: trustId }),
  example: { trust_id: exampleTrust.token_id },
  async run({ trust_id }, { author, stores }) {
    const note = { kind: "trust_ended" as const, author };
    // Sets `revoked_at` as well as the end, because the clocks of some functions may not have reached that time yet.
    const terms = (now: string) => ({ expires_at: now, revoked_at: now, revoked_by: author.by });
    const { trust } = await changeTrust(stores.tokens, { trust_id, note, terms });
    return trustResponse(trust);
  },
});
