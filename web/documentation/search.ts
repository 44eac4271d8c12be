/** Something that can be found: a chapter, an operation or an error. */
export interface Entry {
  title: string;
  /** Where it belongs, shown beside it. */
  place: string;
  href: string;
  text: string;
}

/** The entries that contain every word of a query, those with the words in their title first. */
export const find = (entries: readonly Entry[], query: string): Entry[] => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const inTitle = (entry: Entry) => words.every((word) => entry.title.toLowerCase().includes(word));
  const found = entries.filter(({ title, place, text }) => {
    const all = `${title} ${place} ${text}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return [...found.filter(inTitle), ...found.filter((entry) => !inTitle(entry))];
};
