import { Marked, type Token } from "marked";
import { anchorOf, documentationPage, documentationPath, exampleAddress } from "../../../lambdas/shared/addresses.ts";
import { isLanguage } from "../samples/languages.ts";
import type { ChapterPage, Part, Sample, Section } from "../site.ts";

/** The source of a guide chapter. */
export interface ChapterSource {
  id: string;
  markdown: string;
  /** The group's heading in the table of contents. */
  group: string;
}

const marked = new Marked();

/** Renders a text of the description as HTML. */
export const html = (markdown: string): string => marked.parse(markdown, { async: false });

/** Renders a document as HTML, with an anchor at each heading. */
export const documentHtml = (markdown: string): string =>
  new Marked({
    renderer: {
      heading({ text, depth, tokens }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  }).parse(markdown, { async: false });

/** Returns the first sentence of a text, without markup. */
export const firstSentence = (markdown: string): string => {
  const text = markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll(/[`*]|^#.*$/gm, "");
  const [paragraph = ""] = text.trim().split("\n\n");
  return paragraph.replaceAll("\n", " ").replace(/(?<=[.!?])\s+(?=[A-Z`]).*$/, "");
};

/** Returns the chapters as pages. The first chapter is the documentation's start page. */
export const chapterPages = (chapters: readonly ChapterSource[]): ChapterPage[] => {
  const path = chapterPath(chapters);
  return chapters.map(({ id, markdown, group }) => {
    const [heading, ...tokens] = marked.lexer(withLinks(markdown, path));
    const title = heading?.type === "heading" ? heading.text : id;
    return { id, path: path(id), title, about: firstSentence(markdown), group, sections: sectionsOf(tokens) };
  });
};

/** Returns the chapters as standalone Markdown, keyed by the path of their pages. */
export const chapterTexts = (chapters: readonly ChapterSource[]): Map<string, string> => {
  const path = chapterPath(chapters);
  return new Map(
    chapters.map(({ id, markdown }) => [
      path(id),
      withLinks(markdown, (target) => `${exampleAddress}${path(target)}.md`).replaceAll(/<!--.*?-->\n\n/g, ""),
    ]),
  );
};

const chapterPath =
  ([first]: readonly ChapterSource[]) =>
  (id: string): string =>
    id === first?.id ? documentationPath : documentationPage(id);

/** Turns links between chapter files into links between pages. */
const withLinks = (markdown: string, path: (id: string) => string): string =>
  markdown.replaceAll(/\]\(([\w-]+)\.md(#[\w-]+)?\)/g, (_, id, anchor = "") => `](${path(id)}${anchor})`);

const sectionsOf = (tokens: readonly Token[]): Section[] => {
  const sections: Section[] = [{ id: "", title: "", parts: [] }];
  for (const token of tokens) {
    const parts = sections.at(-1)?.parts ?? [];
    const part = parts.at(-1);
    // Skips blank lines, and HTML comments for the tests.
    if (token.type === "html" || token.type === "space") continue;
    if (token.type === "heading" && token.depth === 2) {
      sections.push({ id: anchorOf(token.text), title: token.text, parts: [] });
    } else if (token.type === "code") {
      if (part) part.samples.push(sampleOf(token));
    } else if (part && part.samples.length === 0) part.html += marked.parser([token]);
    else parts.push({ html: marked.parser([token]), samples: [] } satisfies Part);
  }
  return sections.filter(({ parts }) => parts.length > 0);
};

/** Reads a block of code, which begins with its language: "sh", or "sh python" in the tab of another language. */
const sampleOf = ({ lang = "", text = "" }: Token & { lang?: string; text?: string }): Sample => {
  const [language = "", tab = ""] = lang.split(" ");
  return { language: isLanguage(language) ? language : "json", code: text, ...(isLanguage(tab) && { tab }) };
};
