import type { AttentionItem } from "./attention-items.ts";

export const attentions = ["leaked", "expiring", "rotation", "invitation", "unused"] as const;

/** A reason why tokens need attention, by which the list can be filtered. */
export type Attention = (typeof attentions)[number];

/** The name of each filter. A phone shows only the beginning. */
export const attentionNames: Record<Attention, { short: string; rest: string }> = {
  leaked: { short: "Leaked", rest: "" },
  expiring: { short: "Expiring", rest: "within 30 days" },
  rotation: { short: "Rotation", rest: "unfinished" },
  invitation: { short: "Invitation", rest: "unused" },
  unused: { short: "Unused", rest: "for 90 days" },
};

const kinds: Record<Attention, AttentionItem["kind"]> = {
  leaked: "token_leaked",
  expiring: "token_expires",
  rotation: "rotation_unfinished",
  invitation: "invitation_unused",
  unused: "token_unused",
};

/** How many items there are for each reason. */
export const attentionCounts = (items: readonly AttentionItem[]): Record<Attention, number> => {
  const byKind = new Map<AttentionItem["kind"], number>();
  for (const { kind } of items) byKind.set(kind, (byKind.get(kind) ?? 0) + 1);
  const count = (attention: Attention) => byKind.get(kinds[attention]) ?? 0;
  return {
    leaked: count("leaked"),
    expiring: count("expiring"),
    rotation: count("rotation"),
    invitation: count("invitation"),
    unused: count("unused"),
  };
};

/** The ids of the tokens that need attention for a reason. */
export const idsNeeding = (items: readonly AttentionItem[], attention: Attention): ReadonlySet<string> =>
  new Set(items.flatMap((item) => (item.kind === kinds[attention] && "token" in item ? [item.token.token_id] : [])));
