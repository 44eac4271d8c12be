import { useEffect, useRef, useState } from "react";
import { addresses, documentationPage, documentationPath } from "../../../lambdas/shared/addresses.ts";
import { Method, statusText } from "../parts/html.tsx";
import type { Page, Site } from "../site.ts";

/** The state of the sidebar. */
interface SidebarState {
  /** Whether the menu is open. It can be closed only on phones. */
  isOpen: boolean;
  query: string;
}

export const untouched: SidebarState = { isOpen: false, query: "" };

interface SidebarProps {
  site: Site;
  /** The path of the current page. */
  shown: string;
  state: SidebarState;
  onChange(state: SidebarState): void;
  goTo(address: string): void;
}

/** The table of contents and the search. On a phone, it opens from the bar at the top. */
export const Sidebar = ({ site, shown, state, onChange, goTo }: SidebarProps) => {
  const { isOpen, query } = state;
  const header = useRef<HTMLElement>(null);
  const found = query.trim() === "" ? [] : find(entriesOf(site), query);

  useKeys((key, target) => {
    const field = header.current?.querySelector("input");
    const links = [...(header.current?.querySelectorAll<HTMLElement>(".found a") ?? [])];
    const position = target instanceof HTMLElement ? links.indexOf(target) : -1;
    if (key === "/" && !(target instanceof HTMLInputElement)) return () => field?.focus();
    if (key === "Escape" && state !== untouched) return () => onChange(untouched);
    if (key === "Enter" && target === field && found[0]) return () => goTo(found[0]?.href ?? shown);
    if (key === "ArrowDown" && (target === field || position >= 0)) return () => links[position + 1]?.focus();
    if (key === "ArrowUp" && position >= 0) return () => (links[position - 1] ?? field)?.focus();
    return undefined;
  });

  return (
    <header ref={header} className={isOpen ? "sidebar open" : "sidebar"}>
      <div className="row spread">
        <a className="brand" href={documentationPath}>
          {site.title} <span className="quiet">{site.version}</span>
        </a>
        <button
          type="button"
          className="menu"
          aria-expanded={isOpen}
          onClick={() => onChange({ ...state, isOpen: !isOpen })}
        >
          {isOpen ? "Close" : "Menu"}
        </button>
      </div>
      <div className="drawer">
        <input
          className="search"
          type="search"
          aria-label="Search"
          placeholder="Search (press /)"
          value={query}
          onChange={({ target }) => onChange({ ...state, query: target.value })}
        />
        {query.trim() ? <Found entries={found} /> : <Contents pages={site.pages} shown={shown} />}
        <Links />
      </div>
    </header>
  );
};

/** Handles single key presses anywhere on the page. */
const useKeys = (actionFor: (key: string, target: EventTarget | null) => (() => void) | undefined) => {
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actionFor(event.key, event.target);
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", handle);
    return () => removeEventListener("keydown", handle);
  }, [actionFor]);
};

const Found = ({ entries }: { entries: readonly Entry[] }) => (
  <nav aria-label="Found" className="found">
    <p className="group" role="status">
      {entries.length === 0 ? "Nothing found" : `${entries.length} found`}
    </p>
    <ul>
      {entries.map(({ title, place, href }) => (
        <li key={href}>
          <a className="row spread" href={href}>
            {title} <span className="quiet">{place}</span>
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

const Contents = ({ pages, shown }: { pages: readonly Page[]; shown: string }) => (
  <nav aria-label="Contents">
    {[...Map.groupBy(pages, ({ group }) => group)].map(([group, entries]) => (
      <section key={group}>
        <p className="group">{group}</p>
        <ul>
          {entries.map((page) => (
            <li key={page.path}>
              <a className="row spread" href={page.path} aria-current={page.path === shown ? "page" : undefined}>
                {page.title}
                {"operation" in page && <Method method={page.operation.method} />}
              </a>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </nav>
);

/** Links back to the web interface for readers who came from there. Integrators can't sign in to it. */
const Links = () => {
  const [isFromWeb, setIsFromWeb] = useState(false);
  useEffect(() => setIsFromWeb(new URLSearchParams(location.search).get("from") === "web"), []);
  return (
    <p className="links">
      <a href={`${documentationPath}/api-docs.json`} download>
        OpenAPI description
      </a>
      <a href={`${documentationPath}/llms.txt`}>Everything as Markdown</a>
      {isFromWeb && <a href={addresses.tokens}>Back to the web interface</a>}
    </p>
  );
};

/** A search result: a page or an error. */
interface Entry {
  title: string;
  /** The section that the entry belongs to, shown next to the title. */
  place: string;
  href: string;
  text: string;
}

/** Returns everything that the search can find. */
const entriesOf = ({ pages, errors }: Site): Entry[] => [
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
