import type { ChangeNote } from "../../resources/history/change-entry.ts";
import { type DismissedAddress, dismissedIn } from "../../resources/tokens/dismissed-addresses.ts";
import type { TokenRecord, TokenStore } from "../../resources/tokens/token-store.ts";
import { editToken } from "./changed-token.ts";

interface Edit {
  token_id: string;
  note: ChangeNote<"leak_dismissed" | "leak_restored">;
  /** The new list; the same one if nothing is to be changed. */
  edit: (addresses: DismissedAddress[]) => DismissedAddress[];
}

/** Changes which wrong addresses of a token are dismissed, and returns the token. */
export const editDismissedAddresses = (
  tokens: Pick<TokenStore, "find" | "update">,
  { edit, ...edited }: Edit,
): Promise<TokenRecord> =>
  editToken(tokens, {
    ...edited,
    edit: (seen) => {
      const before = dismissedIn(seen);
      const after = edit(before);
      if (after === before) return undefined;
      return { dismissed_addresses: after.length === 0 ? null : JSON.stringify(after) };
    },
  });
