import type { Item } from "cdk-local-runner/dynamodb-model";
import type { Applied } from "../world/chronicle.ts";

/**
 * What calls and admins change. It leaves out when a token was last used, what its first use removes, and times that
 * only stop earlier attempts.
 */
const visible = (item: Item | undefined): string => {
  if (!item) return "";
  const { last_used_at: _, changed_at: __, repeat_nonce: ___, ...rest } = item;
  return JSON.stringify(rest);
};

export const isChange = ({ change: { table, before, after } }: Applied): boolean =>
  (table === "keys" || table === "tokens") && visible(before) !== visible(after);
