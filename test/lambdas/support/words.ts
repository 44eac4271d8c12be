/** Returns the words of a string, for a list that is too long for one line. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
