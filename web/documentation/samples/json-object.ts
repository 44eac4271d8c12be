/** Parses a JSON object or array; `undefined` if the text is anything else. */
export const objectIn = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
