import type { DeletionNames } from "./deletions.ts";

/** The condition that an item has one of these attributes, and is not the tombstone of a deleted record. */
export const filterOf = (having: readonly string[], deletion: DeletionNames | undefined) => {
  const isChosen = having.map((_, index) => `attribute_exists(#a${index})`).join(" OR ");
  const conditions = [isChosen && `(${isChosen})`, deletion && "attribute_not_exists(#mark)"].filter(Boolean);
  if (conditions.length === 0) return {};
  return {
    FilterExpression: conditions.join(" AND "),
    ExpressionAttributeNames: {
      ...Object.fromEntries(having.map((attribute, index) => [`#a${index}`, attribute])),
      ...(deletion && { "#mark": deletion.mark }),
    },
  };
};
