import { documentationPage } from "../../../lambdas/shared/addresses.ts";
import { statusText } from "../parts/http.tsx";
import type { Page, Site } from "../site.ts";

/** A search result: a page or an error. */
export interface Entry {
  title: string;
  /** The section that the entry belongs to, shown next to the title. */
  place: string;
  href: string;
  text: string;
}

/** Returns everything that the search can find. */
export const entriesOf = ({ pages, errors }: Site): Entry[] => [
  ...pages.map((page) => ({
    title: page.title,
    place: "operation" in page ? `${page.operation.method} ${page.operation.path}` : page.group,
    href: page.path,
    text: [page.about, ...htmlOf(page)].join(" ").replaceAll(/<[^>]+>/g, ""),
  })),
  ...Object.entries(errors).map(([code, { status, when, solve }]) => ({
    title: code,
    place: statusText(status),
    href: `${documentationPage("errors")}#${code}`,
    text: `${when} ${solve}`.replaceAll(/<[^>]+>/g, ""),
  })),
];

const htmlOf = (page: Page): string[] =>
  "operation" in page
    ? [page.operation.description, ...page.operation.fields.flatMap(({ name, description }) => [name, description])]
    : page.sections.flatMap(({ title, parts }) => [title, ...parts.map(({ html }) => html)]);

/** Finds the entries that contain every word of a query. Entries with the words in their title come first. */
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
