/** A value as one line: Node.js also ends a line at these two characters, which JSON may contain as they are. */
export const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
