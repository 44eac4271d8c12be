import { ApiError } from "../../errors/api-error.ts";
import type { ChangeNote } from "../../resources/history/change-entry.ts";
import { type DismissedAddress, dismissedIn } from "../../resources/tokens/dismissed-addresses.ts";
import type { TokenRecord, TokenStore, TokenUpdate } from "../../resources/tokens/token-store.ts";
import { requireActive, requireChanged } from "./changed-token.ts";

/** How often the change is made again because another admin changed the token meanwhile. */
const attempts = 3;

interface Edit {
  token_id: string;
  note: ChangeNote<"leak_dismissed" | "leak_restored">;
  /** The new list; the same one if nothing is to be changed. */
  edit: (addresses: DismissedAddress[]) => DismissedAddress[];
}

/** Changes which wrong addresses of a token are dismissed, and returns the token. */
export const editDismissedAddresses = async (
  tokens: Pick<TokenStore, "find" | "update">,
  { token_id, note, edit }: Edit,
): Promise<TokenRecord> => {
  let token = await tokens.find(token_id);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const now = new Date().toISOString();
    const seen = requireActive(token, now);
    const before = dismissedIn(seen);
    const after = edit(before);
    if (after === before) return seen;
    const update: TokenUpdate = {
      dismissed_addresses: after.length === 0 ? null : JSON.stringify(after),
      updated_at: now,
      updated_by: note.author.by,
    };
    const change = await tokens.update(token_id, update, note, seen);
    if (change.made) return requireChanged(change);
    token = change.token;
  }
  throw new ApiError("unavailable", { cause: new Error("Other changes of the same token came first.") });
};
