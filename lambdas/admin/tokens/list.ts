import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { isTrust } from "../../domain/tokens/life-cycle.ts";
import { isTokenId } from "../../domain/tokens/token-value.ts";
import { underTrust } from "../../domain/tokens/trust.ts";
import { encodeCursor } from "../../shared/validation/paging.ts";
import { pageCursor, pageLimit, queriedNumber } from "../admin-fields.ts";
import { adminContract } from "../contract.ts";
import { expiresWithin } from "../notices/due-notices.ts";
import { ofClient } from "./token-fields.ts";
import { tokenResponse } from "./token-response.ts";

export const list = action({
  contract: adminContract.list,
  summary:
    "Returns a page of tokens, in no particular order. While there are more, next_cursor is where the next page begins.",
  uses: { tokens: ["list", "find"] },
  input: z.strictObject({
    limit: pageLimit,
    cursor: pageCursor(isTokenId),
    client: ofClient,
    expires_within_days: z.optional(queriedNumber({ min: 1, max: 366 })).check(
      z.meta({
        description:
          "Only tokens of clients that expire within so many days and have not been rotated. A page may then have fewer items.",
      }),
    ),
  }),
  example: {},
  async run({ limit, cursor, client, expires_within_days: days }, { stores }) {
    const { tokens: records, next } = await stores.tokens.list({ limit, after: cursor });
    const trustIds = [...new Set(records.flatMap(({ trust_id }) => trust_id ?? []))];
    const trusts = new Map(await Promise.all(trustIds.map(async (id) => [id, await stores.tokens.find(id)] as const)));
    const find = async (id: string) => trusts.get(id);
    const tokens = await Promise.all(
      records
        .filter((record) => !isTrust(record) && (client === undefined || record.client === client))
        .map((token) => underTrust(token, { find })),
    );
    const now = Date.now();
    const listed = tokens.map(tokenResponse).filter((token) => days === undefined || expiresWithin(days, token, now));
    return { tokens: listed, next_cursor: next === undefined ? null : encodeCursor(next) };
  },
});
