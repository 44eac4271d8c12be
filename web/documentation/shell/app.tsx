import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { documentationPath } from "../../../lambdas/shared/addresses.ts";
import { ReaderContext } from "../parts/reader.tsx";
import { CopyButton } from "../parts/samples.tsx";
import { isLanguage, type Language } from "../samples/languages.ts";
import type { Page, Site } from "../site.ts";
import { ChapterView } from "../views/chapter-view.tsx";
import { OperationView } from "../views/operation-view.tsx";
import { Sidebar, untouched } from "./sidebar.tsx";

interface AppProps {
  site: Site;
  /** The path of the first page. */
  path: string;
  /** The address of the service. */
  address: string;
}

export const App = ({ site, path, address }: AppProps) => {
  const [sidebar, setSidebar] = useState(untouched);
  // Every navigation ends a search and closes the menu, even one to the current page.
  const [shown, goTo] = useNavigation(site.pages, path, () => setSidebar(untouched));
  const [entered, setEntered] = useState({ token: "", invitation: "", jwt: "" });
  const [language, setLanguage] = useStoredLanguage();
  const page = site.pages.find((one) => one.path === shown);

  useEffect(() => {
    const isFirst = !page || page.path === documentationPath;
    document.title = isFirst ? site.title : `${page.title} · ${site.title}`;
    showCurrentLink();
  }, [page, site.title]);

  return (
    <ReaderContext
      value={{
        ...entered,
        address,
        language,
        setCredential: (credential, text) => setEntered({ ...entered, [credential]: text }),
        setLanguage,
      }}
    >
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Sidebar site={site} shown={shown} state={sidebar} onChange={setSidebar} goTo={goTo} />
      <main id="content" tabIndex={-1}>
        {page && <PageBar page={page} />}
        <PageView key={shown} page={page} site={site} />
        <Neighbours pages={site.pages} shown={shown} />
      </main>
    </ReaderContext>
  );
};

/** Scrolls the table of contents to the current page. `scrollIntoView` would also move where the Tab key continues. */
const showCurrentLink = (): void => {
  const sidebar = document.querySelector<HTMLElement>(".sidebar");
  const link = sidebar?.querySelector<HTMLElement>("[aria-current=page]");
  if (!sidebar || !link) return;
  const { scrollTop, clientHeight } = sidebar;
  const isVisible = link.offsetTop >= scrollTop && link.offsetTop + link.offsetHeight <= scrollTop + clientHeight;
  if (!isVisible) sidebar.scrollTop = link.offsetTop - clientHeight / 2;
};

const PageBar = ({ page: { group, path } }: { page: Page }) => (
  <div className="page-bar row spread">
    <span className="quiet">{group}</span>
    <span className="row">
      <CopyButton key={path} text={`${path}.md`} isAddress label="Copy page as Markdown" />
      <a href={`${path}.md`}>View as Markdown</a>
    </span>
  </div>
);

const PageView = ({ page, site: { errors } }: { page: Page | undefined; site: Site }) => {
  if (!page) return <NotFoundView />;
  return "operation" in page ? (
    <OperationView operation={page.operation} />
  ) : (
    <ChapterView chapter={page} errors={errors} />
  );
};

/** Links to the previous and next pages in the table of contents. */
const Neighbours = ({ pages, shown }: { pages: readonly Page[]; shown: string }) => {
  const index = pages.findIndex(({ path }) => path === shown);
  if (index < 0) return null;
  const [previous, next] = [pages[index - 1], pages[index + 1]];
  return (
    <nav className="neighbours row" aria-label="Previous and next">
      {previous && <a href={previous.path}>Previous: {previous.title}</a>}
      {next && (
        <a className="next" href={next.path}>
          Next: {next.title}
        </a>
      )}
    </nav>
  );
};

/**
 * Returns the current page and a function that navigates to an address. Links between pages don't reload the document, so a token
 * that was entered is kept.
 */
const useNavigation = (
  pages: readonly Page[],
  path: string,
  onGo: () => void,
): [shown: string, goTo: (address: string) => void] => {
  const [shown, setShown] = useState(path);

  const goTo = (address: string) => {
    const { pathname, hash } = new URL(address, location.href);
    history.pushState(null, "", pathname + location.search);
    flushSync(() => {
      setShown(pathname);
      onGo();
    });
    if (hash) location.replace(hash);
    else scrollTo(0, 0);
    // Screen readers continue at the new content.
    document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
  };

  useEffect(() => {
    const follow = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a") : undefined;
      if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      if (link.origin !== location.origin || !pages.some((page) => page.path === link.pathname)) return;
      event.preventDefault();
      goTo(link.href);
    };
    const goBack = () => setShown(location.pathname);
    document.addEventListener("click", follow);
    addEventListener("popstate", goBack);
    return () => {
      document.removeEventListener("click", follow);
      removeEventListener("popstate", goBack);
    };
  });

  return [shown, goTo];
};

const storedName = "documentation-language";

/** Returns the language of the samples. The browser remembers it unless it blocks cookies. */
const useStoredLanguage = (): [Language, (language: Language) => void] => {
  const [language, setLanguage] = useState<Language>("sh");
  useEffect(() => {
    const stored = navigator.cookieEnabled ? localStorage.getItem(storedName) : null;
    if (stored && isLanguage(stored)) setLanguage(stored);
  }, []);
  const choose = (chosen: Language) => {
    if (navigator.cookieEnabled) localStorage.setItem(storedName, chosen);
    setLanguage(chosen);
  };
  return [language, choose];
};

/** Shown for an unknown address within the documentation. */
const NotFoundView = () => (
  <div className="prose">
    <h1>There is no page at this address</h1>
    <p>
      It may be misspelled, or the page may have another name now. Search for it, choose it from the list of pages, or
      begin with the <a href={documentationPath}>first call</a>.
    </p>
  </div>
);
