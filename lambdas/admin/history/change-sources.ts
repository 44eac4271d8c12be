import { type ChangeKind, keyChangeKinds, tokenChangeKinds } from "../../domain/history/change-kinds.ts";
import type { HistoryStore } from "../../domain/history/history-table.ts";
import type { ChangeSource } from "../../domain/history/recent-changes.ts";
import { keyId } from "../../domain/keys/key-fields.ts";
import type { KeyStore } from "../../domain/keys/keys-table.ts";
import { type TokenStore, tokenSchema } from "../../domain/tokens/token-store.ts";
import { exchangedShard, trustShard } from "../../domain/tokens/trust.ts";
import { deletedShards, liveShards } from "../../dynamodb/change-history.ts";
import { type Item, readAttribute } from "../../dynamodb/records.ts";
import { time } from "../../shared/validation/fields.ts";

/** The stores that the history action uses. */
export interface HistoryStores {
  tokens: Pick<TokenStore, "history" | "changed">;
  keys: Pick<KeyStore, "getWithHistory" | "changed">;
  history: Pick<HistoryStore, "ofKey" | "changed">;
}

/**
 * Returns everything that has a history: tokens, keys, recently deleted keys, and the histories of deleted keys.
 *
 * @param kind include only sources that can have changes of this kind
 * @param person include only sources that can have changes by this person
 */
export const changeSources = (
  { tokens, keys, history }: HistoryStores,
  { kind, person }: { kind?: ChangeKind | undefined; person?: string | undefined },
): ChangeSource[] => {
  const ofKeys = (store: Pick<KeyStore, "changed">, shards: string[], changeTime: string): ChangeSource[] =>
    shards.map((shard) => ({ shard, changed: store.changed, subjectOf: keyOf, changedAt: timeIn(changeTime) }));
  const isOf = (kinds: readonly ChangeKind[]) => kind === undefined || kinds.includes(kind);
  const hasExchanges = kind === "exchanged" || person !== undefined;
  const tokenShards = [...liveShards, trustShard, ...(hasExchanges ? liveShards.map(exchangedShard) : [])];
  const ofTokens = { changed: tokens.changed, subjectOf: tokenOf, changedAt: timeIn("changed_at") };
  return [
    ...(isOf(tokenChangeKinds) ? tokenShards.map((shard) => ({ shard, ...ofTokens })) : []),
    ...(isOf(keyChangeKinds) ? ofKeys(keys, [...liveShards, ...deletedShards], "updated_at") : []),
    ...(isOf(keyChangeKinds) ? ofKeys(history, liveShards, "ended_at") : []),
  ];
};

const changeTime = time();

const timeIn = (name: string) => (item: Item) => readAttribute(item, name, changeTime);

const tokenOf = (item: Item) => ({
  token_id: readAttribute(item, "token_id", tokenSchema.shape.token_id),
  key_id: null,
});

const keyOf = (item: Item) => ({ token_id: null, key_id: readAttribute(item, "key_id", keyId) });
