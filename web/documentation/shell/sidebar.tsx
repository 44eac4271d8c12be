import { useEffect, useRef, useState } from "react";
import { addresses, documentationPath } from "../../../lambdas/shared/addresses.ts";
import { BrandMark } from "../../admin/parts/brand-mark.tsx";
import { Method } from "../parts/html.tsx";
import { useReader } from "../parts/reader.tsx";
import { CopyButton } from "../parts/samples.tsx";
import type { Page, Site } from "../site.ts";
import { Appearance } from "./appearance.tsx";
import { entriesOf, type Found, find } from "./search.ts";

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
          <BrandMark size={22} /> {site.title} <span className="quiet">{site.version}</span>
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
        <WayBack />
        <BaseUrl />
        <input
          className="search"
          type="search"
          aria-label="Search"
          placeholder="Search (press /)"
          value={query}
          onChange={({ target }) => onChange({ ...state, query: target.value })}
        />
        {query.trim() ? <Results found={found} /> : <Contents pages={site.pages} shown={shown} />}
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

const Results = ({ found }: { found: readonly Found[] }) => (
  <nav aria-label="Found" className="found">
    <p className="group" role="status">
      {found.length === 0 ? "Nothing found. Try another word." : `${found.length} found`}
    </p>
    <ul>
      {found.map(({ title, place, href, snippet: [before, match, after] }) => (
        <li key={href}>
          <a href={href}>
            <span className="row spread">
              {title} <span className="quiet">{place}</span>
            </span>
            <span className="quiet">
              {before}
              <mark>{match}</mark>
              {after}
            </span>
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

/** Lists the pages. The guide and the reference can be folded. At first, only the one with the current page is open. */
const Contents = ({ pages, shown }: { pages: readonly Page[]; shown: string }) => (
  <nav aria-label="Contents">
    {[...Map.groupBy(pages, (page) => ("operation" in page ? "Reference" : "Guide"))].map(([half, entries]) => (
      <details
        key={half}
        open={entries.some(({ path }) => path === shown) || !pages.some(({ path }) => path === shown)}
      >
        <summary>{half}</summary>
        {[...Map.groupBy(entries, ({ group }) => group)].map(([group, entries]) => (
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
      </details>
    ))}
  </nav>
);

const BaseUrl = () => {
  const { address } = useReader();
  return (
    <p className="base-url row spread">
      <span className="quiet">Base URL</span>
      <CopyButton text={address} />
      <code>{address}</code>
    </p>
  );
};

/** Links back to the web interface for readers who came from there. Integrators can't sign in to it. */
const WayBack = () => {
  const [isFromWeb, setIsFromWeb] = useState(false);
  useEffect(() => setIsFromWeb(new URLSearchParams(location.search).get("from") === "web"), []);
  return (
    isFromWeb && (
      <a className="way-back" href={addresses.tokens}>
        ← Back to the web interface
      </a>
    )
  );
};

const Links = () => (
  <div className="links">
    <a href={`${documentationPath}/api-docs.json`} download>
      OpenAPI description
    </a>
    <a href={`${documentationPath}/llms-full.txt`}>All pages as Markdown</a>
    <Appearance />
  </div>
);
