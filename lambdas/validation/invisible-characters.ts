/**
 * Characters that a reader cannot see or tell apart, or that change how the text around them is shown: control characters,
 * direction marks, zero-width and other ignorable characters, separators, and all spaces but the usual one.
 */
export const invisibleCharacter =
  /[\p{Control}\p{Format}\p{Line_Separator}\p{Paragraph_Separator}\p{Default_Ignorable_Code_Point}\p{Surrogate}\u2800]|[^\P{Space_Separator} ]/u;
