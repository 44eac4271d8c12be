/** Counts the Unicode code points of a string, which is how JSON Schema counts characters. */
export const codePoints = (value: string): number => {
  if (!/[\ud800-\udbff]/.test(value)) return value.length;
  let count = 0;
  for (const _ of value) count += 1;
  return count;
};

/**
 * Characters that readers cannot see or tell apart, or that change how the surrounding text is shown: control characters, direction
 * marks, zero-width and other ignorable characters, separators, and all spaces except the ordinary one.
 */
export const invisibleCharacter =
  /[\p{Control}\p{Format}\p{Line_Separator}\p{Paragraph_Separator}\p{Default_Ignorable_Code_Point}\p{Surrogate}\u2800]|[^\P{Space_Separator} ]/u;
