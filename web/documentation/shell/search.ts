import { documentationPage } from "../../../lambdas/shared/addresses.ts";
import { statusText } from "../parts/html.tsx";
import type { Page, Site } from "../site.ts";

/** A page or an error that the search can find. */
export interface Entry {
  title: string;
  /** What the entry belongs to, shown next to the title. */
  place: string;
  /** The texts below each heading. */
  parts: { href: string; text: string }[];
}

/** A search result. */
export interface Found extends Pick<Entry, "title" | "place"> {
  href: string;
  /** The text around the first match: before it, the match, after it. */
  snippet: readonly [string, string, string];
}

/** What readers may call something, and what the documentation calls it. */
const synonyms: Readonly<Record<string, string>> = {
  idempotency: "idempotent",
  "idempotency-key": "idempotent",
  throttling: "rate limit",
  throttle: "rate limit",
  quota: "rate limit",
  "rate-limit": "rate limit",
  polling: "poll",
  webhooks: "webhook",
  events: "webhook",
  callback: "webhook",
  staging: "sandbox",
  library: "sdk",
  bearer: "x-token",
  "api-key": "x-token",
  swagger: "openapi",
  paging: "pagination",
  timeouts: "timeout",
  locking: "if-match",
  cache: "if-none-match",
  caching: "if-none-match",
  oidc: "openid connect",
  retries: "retry",
  firewall: "proxy",
};

/** Returns everything that the search can find. */
export const entriesOf = ({ pages, errors }: Site): Entry[] => [
  ...pages.map((page) => ({
    title: page.title,
    place: "operation" in page ? `${page.operation.method} ${page.operation.path}` : page.group,
    parts: partsOf(page).map(([id, ...html]) => ({
      href: id ? `${page.path}#${id}` : page.path,
      text: textOf(html.join(" ")),
    })),
  })),
  ...Object.entries(errors).map(([code, { status, when, solve }]) => ({
    title: code,
    place: statusText(status),
    parts: [{ href: `${documentationPage("errors")}#${code}`, text: textOf(`${when} ${solve}`) }],
  })),
];

const partsOf = (page: Page): [id: string, ...html: string[]][] =>
  "operation" in page
    ? [
        [
          "",
          page.operation.description,
          ...page.operation.fields.flatMap(({ name, description }) => [name, description]),
        ],
      ]
    : page.sections.map(({ id, title, parts }) => [id, title, ...parts.map(({ html }) => html)]);

const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll(/&([\w#]+);/g, (entity, name) => characters[name] ?? entity)
    .replaceAll(/\s+/g, " ");

/**
 * Finds the entries that contain every word of a query, or its synonym. Titles with the words come first, then places with them, then
 * the texts that repeat the first word most often.
 */
export const find = (entries: readonly Entry[], query: string): Found[] => {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => [word, ...(Object.hasOwn(synonyms, word) ? [String(synonyms[word])] : [])]);
  const [first] = words;
  if (!first) return [];
  const hasAll = (text: string) => words.every((names) => names.some((name) => text.includes(name)));
  const rankOf = ({ title, place, parts }: Entry): number => {
    const [head, text] = [`${title} ${place}`.toLowerCase(), parts.map((part) => part.text.toLowerCase()).join(" ")];
    if (!hasAll(`${head} ${text}`)) return 0;
    if (hasAll(title.toLowerCase())) return Number.POSITIVE_INFINITY;
    return hasAll(head) ? Number.MAX_VALUE : Math.max(...first.map((name) => text.split(name).length));
  };
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => (a.rank === b.rank ? 0 : b.rank - a.rank))
    .map(({ entry }) => resultOf(entry, first));
};

/** Shows the first part that has one of these names. An entry with a matching title leads to the beginning of its page. */
const resultOf = ({ title, place, parts }: Entry, names: readonly string[]): Found => {
  const matchIn = (text: string) =>
    names.map((name) => [text.toLowerCase().indexOf(name), name.length] as const).find(([start]) => start >= 0);
  const part = (matchIn(title) ? undefined : parts.find(({ text }) => matchIn(text))) ?? parts[0];
  const { href, text } = part ?? { href: "", text: "" };
  const [start, length] = matchIn(text) ?? [0, 0];
  const before = text.slice(0, start);
  const shown = before.length > 40 ? `…${before.slice(-40).replace(/^\S*\s/, "")}` : before;
  const end = start + length;
  return { title, place, href, snippet: [shown, text.slice(start, end), shortened(text.slice(end))] };
};

const shortened = (text: string): string => (text.length > 70 ? `${text.slice(0, 70).replace(/\s\S*$/, "")}…` : text);
