import { documentationFragment } from "../../../lambdas/addresses.ts";
import type { Description, Operation } from "../description.ts";
import type { Chapter } from "../guide.ts";
import { statusText } from "../parts/http.tsx";

/** A group in the table of contents. */
export interface Contents {
  title: string;
  items: ContentsItem[];
}

interface ContentsItem {
  id: string;
  title: string;
  href: string;
  /** Of an operation. */
  method?: string;
}

/** The table of contents: the guide, then the operations of each version. */
export const contentsOf = (description: Description, operations: Operation[], chapters: Chapter[]): Contents[] => [
  { title: "Guide", items: chapters.map(({ id, title }) => ({ id, title, href: documentationFragment("guide", id) })) },
  ...description.tags.map(({ name }) => ({
    title: `Calls of ${name}`,
    items: operations
      .filter(({ tag }) => tag === name)
      .map(({ id, summary, method }) => ({ id, title: summary, href: documentationFragment(name, id), method })),
  })),
];

/** Everything that the search finds. */
export const entriesOf = (description: Description, operations: Operation[], chapters: Chapter[]): Entry[] => [
  ...operations.map(({ id, tag, summary, method, path, description: text, fields }) => ({
    title: summary,
    place: `${method} ${path}`,
    href: documentationFragment(tag, id),
    text: [text, ...fields.flatMap((field) => [field.name, field.description])].join(" "),
  })),
  ...chapters.map(({ id, title, text }) => ({ title, place: "Guide", href: documentationFragment("guide", id), text })),
  ...Object.entries(description["x-errors"]).map(([code, { status, when, solve }]) => ({
    title: code,
    place: statusText(status),
    href: documentationFragment("guide", "errors", code),
    text: `${when} ${solve}`,
  })),
];

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
