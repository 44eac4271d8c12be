import type { ListedKey } from "../../api/types.ts";
import { visibleText } from "../../parts/visible-characters.ts";

/** A change that was just made to a key. */
export type KeyChange = { name: "added" | "replaced"; key: ListedKey } | { name: "deleted"; keyId: string };

/** The user's latest changes to the keys of a list. */
export interface RecentKeys {
  /** The added keys, most recent first. The list shows them at the top, wherever they belong. */
  added: readonly ListedKey[];
  /** The key whose v_code was replaced last. */
  replacedId?: string;
}

export const noRecentKeys: RecentKeys = { added: [] };

export const withChange = ({ added, ...recent }: RecentKeys, change: KeyChange): RecentKeys => {
  const changedId = change.name === "deleted" ? change.keyId : change.key.key_id;
  const others = added.filter(({ key_id }) => key_id !== changedId);
  if (change.name === "added") return { ...recent, added: [change.key, ...others] };
  if (change.name === "deleted") return { ...recent, added: others };
  return { added: added.map((key) => (key.key_id === changedId ? change.key : key)), replacedId: changedId };
};

/** Moves the added keys to the top of a list. */
export const withRecent = (keys: readonly ListedKey[], { added }: RecentKeys): ListedKey[] => {
  const addedIds = new Set(added.map(({ key_id }) => key_id));
  return [...added, ...keys.filter(({ key_id }) => !addedIds.has(key_id))];
};

/** Returns a key's mark, such as "Just added". */
export const markOf = ({ key_id }: ListedKey, { added, replacedId }: RecentKeys): string | undefined => {
  if (key_id === replacedId) return "Just replaced";
  return added.some((key) => key.key_id === key_id) ? "Just added" : undefined;
};

/** Returns the message about a change. */
export const messageOf = (change: KeyChange) => (
  <>
    The {change.name === "replaced" ? "v_code of" : "key"}{" "}
    <bdi>{visibleText(change.name === "deleted" ? change.keyId : change.key.key_id)}</bdi> was {change.name}.
  </>
);
