import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { isTrust } from "../../domain/tokens/life-cycle.ts";
import { isTokenId } from "../../domain/tokens/token-value.ts";
import { underTrust } from "../../domain/tokens/trust.ts";
import { encodeCursor } from "../../shared/validation/paging.ts";
import { pageCursor, pageLimit } from "../admin-fields.ts";
import { adminContract } from "../contract.ts";
import { tokenResponse } from "./token-response.ts";

export const list = action({
  contract: adminContract.list,
  summary:
    "Returns a page of tokens, in no particular order. While there are more, next_cursor is where the next page begins.",
  uses: { tokens: ["list", "find"] },
  input: z.strictObject({ limit: pageLimit, cursor: pageCursor(isTokenId) }),
  example: {},
  async run({ limit, cursor }, { stores }) {
    const { tokens: records, next } = await stores.tokens.list({ limit, after: cursor });
    const trustIds = [...new Set(records.flatMap(({ trust_id }) => trust_id ?? []))];
    const trusts = new Map(await Promise.all(trustIds.map(async (id) => [id, await stores.tokens.find(id)] as const)));
    const find = async (id: string) => trusts.get(id);
    const tokens = await Promise.all(
      records.filter((record) => !isTrust(record)).map((token) => underTrust(token, { find })),
    );
    return { tokens: tokens.map(tokenResponse), next_cursor: next === undefined ? null : encodeCursor(next) };
  },
});
