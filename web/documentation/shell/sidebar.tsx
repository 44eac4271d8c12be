import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { addresses } from "../../../lambdas/addresses.ts";
import type { Description } from "../description.ts";
import { Method } from "../parts/http.tsx";
import { type Contents, type Entry, find } from "./contents.ts";

interface SidebarProps {
  info: Description["info"];
  contents: readonly Contents[];
  entries: readonly Entry[];
  /** The id of what the page shows. */
  shown: string;
}

/** The table of contents with the search. On a phone it opens from the bar at the top. */
export const Sidebar = ({ info, contents, entries, shown }: SidebarProps) => {
  const [isOpen, setIsOpen] = useState(false);
  const [query, setQuery] = useState("");
  const found = find(entries, query);

  useEffect(() => {
    // Following a link ends the search, and on a phone closes the table of contents.
    const close = () => {
      setIsOpen(false);
      setQuery("");
    };
    addEventListener("hashchange", close);
    return () => removeEventListener("hashchange", close);
  }, []);

  return (
    <header className={isOpen ? "sidebar open" : "sidebar"}>
      <div className="row spread">
        <a className="brand" href="#/">
          {info.title} <span className="quiet">{info.version}</span>
        </a>
        <button type="button" className="menu" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? "Close" : "Menu"}
        </button>
      </div>
      <div className="drawer">
        <SearchField query={query} onChange={setQuery} first={found[0]} />
        {query.trim() ? <Found entries={found} /> : <ContentsView contents={contents} shown={shown} />}
        <Links />
      </div>
    </header>
  );
};

interface SearchFieldProps {
  query: string;
  onChange(query: string): void;
  /** Where Enter leads. */
  first: Entry | undefined;
}

const SearchField = ({ query, onChange, first }: SearchFieldProps) => {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLInputElement;
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);

  const handleKey = ({ key }: KeyboardEvent) => {
    if (key === "Escape") onChange("");
    if (key === "Enter" && first) location.hash = first.href;
  };
  return (
    <input
      ref={field}
      className="search"
      type="search"
      aria-label="Search"
      placeholder="Search (press /)"
      value={query}
      onChange={({ target }) => onChange(target.value)}
      onKeyDown={handleKey}
    />
  );
};

const Found = ({ entries }: { entries: readonly Entry[] }) => (
  <nav aria-label="Found">
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

type ContentsViewProps = Pick<SidebarProps, "contents" | "shown">;

const ContentsView = ({ contents, shown }: ContentsViewProps) => (
  <nav aria-label="Contents">
    {contents.map(({ title, items }) => (
      <section key={title}>
        <p className="group">{title}</p>
        <ul>
          {items.map((item) => (
            <li key={item.id}>
              <a className="row spread" href={item.href} aria-current={item.id === shown ? "page" : undefined}>
                {item.title}
                {item.method && <Method method={item.method} />}
              </a>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </nav>
);

/** The way back is shown only to those who came from the web interface: integrators have no login there. */
const Links = () => (
  <p className="links">
    <a href="documentation/api-docs.json" download>
      Download api-docs.json
    </a>
    {new URLSearchParams(location.search).get("from") === "web" && (
      <a href={addresses.tokens}>Back to the web interface</a>
    )}
  </p>
);
