import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { type Description, operationsOf } from "../description.ts";
import type { Chapter } from "../guide.ts";
import { ReaderContext } from "../parts/reader.tsx";
import type { Language } from "../samples/languages.ts";
import { ChapterView } from "../views/chapter-view.tsx";
import { OperationView } from "../views/operation-view.tsx";
import { type Contents, contentsOf, entriesOf } from "./contents.ts";
import { Sidebar } from "./sidebar.tsx";

interface AppProps {
  description: Description;
  chapters: Chapter[];
}

export const App = ({ description, chapters }: AppProps) => {
  const operations = useMemo(() => operationsOf(description), [description]);
  const contents = useMemo(() => contentsOf(description, operations, chapters), [description, operations, chapters]);
  const entries = useMemo(() => entriesOf(description, operations, chapters), [description, operations, chapters]);
  const [entered, setEntered] = useState({ token: "", invitation: "" });
  const [language, setLanguage] = useState<Language>("sh");
  const address = new URL(description.servers[0]?.url ?? "/", location.href).href.replace(/\/$/, "");

  const { section, id, anchor } = useRoute();
  const operation = operations.find((candidate) => section !== "guide" && candidate.id === id);
  const chapter = chapters.find((candidate) => section === "guide" && candidate.id === id) ?? chapters[0];
  const title = operation?.summary ?? chapter?.title;

  useEffect(() => {
    document.title = id ? `${title} · API documentation` : "API documentation";
    if (!id) return;
    const target = anchor ? document.getElementById(anchor) : undefined;
    if (target) target.scrollIntoView();
    else scrollTo(0, 0);
    // A reader of the screen continues at the new content.
    document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
  }, [title, id, anchor]);

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
      <Sidebar
        info={description.info}
        contents={contents}
        entries={entries}
        shown={operation?.id ?? chapter?.id ?? ""}
      />
      <main id="content">
        {operation ? (
          <OperationView key={operation.id} operation={operation} />
        ) : (
          chapter && <ChapterView key={chapter.id} chapter={chapter} errors={description["x-errors"]} />
        )}
        <Neighbours contents={contents} shown={operation?.id ?? chapter?.id ?? ""} />
      </main>
    </ReaderContext>
  );
};

interface NeighboursProps {
  contents: readonly Contents[];
  shown: string;
}

/** Links to the previous and the next item of the table of contents. */
const Neighbours = ({ contents, shown }: NeighboursProps) => {
  const items = contents.flatMap((group) => group.items);
  const index = items.findIndex(({ id }) => id === shown);
  const [previous, next] = [items[index - 1], items[index + 1]];
  return (
    <nav className="neighbours row" aria-label="Previous and next">
      {previous && <a href={previous.href}>Previous: {previous.title}</a>}
      {next && (
        <a className="next" href={next.href}>
          Next: {next.title}
        </a>
      )}
    </nav>
  );
};

/** What the page shows, from the fragment of its address: `#/guide/errors/token_missing`. */
interface Route {
  /** `guide` or the name of a version. */
  section: string;
  /** The id of a chapter or of an operation. */
  id: string;
  /** The id of an element in it. */
  anchor: string;
}

const subscribe = (listener: () => void) => {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
};

const useRoute = (): Route => {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [, section = "", id = "", anchor = ""] = hash.split("/");
  return { section, id, anchor };
};
