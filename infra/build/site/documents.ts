import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Marked, type RendererObject } from "marked";
import { anchorOf, documentationFragment } from "../../../lambdas/addresses.ts";
import { projectFolder } from "../project-folder.ts";

const folder = join(projectFolder, "docs/guide");

/** The chapters of the guide, in the order in which docs/guide/README.md lists them: the names of their files. */
export const guideChapters = async (): Promise<string[]> => {
  const index = await readFile(join(folder, "README.md"), "utf8");
  return [...index.matchAll(/^\d+\. \[.+\]\((.+)\)$/gm)].map(([, file = ""]) => file);
};

/** The guide as HTML: an article for each chapter. */
export const guideHtml = async (): Promise<string> => {
  const articles = (await guideChapters()).map(async (file) => {
    const text = await readFile(join(folder, file), "utf8");
    return `<article id="/guide/${idOf(file)}">\n${render(text)}</article>\n`;
  });
  return (await Promise.all(articles)).join("");
};

/** `first-call.md` is the chapter `first-call`. */
const idOf = (file: string): string => file.replace(/\.md$/, "");

const render = (markdown: string): string =>
  renderMarkdown(markdown, {
    // The title gets no anchor, because the chapter has an address itself.
    anchorsFrom: 2,
    renderer: {
      link({ href, tokens }) {
        // A link to another chapter, as the page addresses it.
        const [, file, anchor = ""] = /^([\w-]+\.md)(?:#(.+))?$/.exec(href) ?? [];
        const target = file ? documentationFragment("guide", idOf(file), anchor) : href;
        return `<a href="${target}">${this.parser.parseInline(tokens)}</a>`;
      },
      // Notes for the tests.
      html: () => "",
    },
  });

/** docs/runbook.md as HTML, with an anchor at each heading: alarms refer to them. */
export const runbookHtml = async (): Promise<string> =>
  renderMarkdown(await readFile(join(projectFolder, "docs/runbook.md"), "utf8"));

interface RenderOptions {
  /** The level of the highest headings that get an anchor. */
  anchorsFrom?: number;
  /** How other elements are rendered. */
  renderer?: RendererObject;
}

/** A document of this project as HTML, with an anchor at each heading. */
const renderMarkdown = (markdown: string, { anchorsFrom = 1, renderer = {} }: RenderOptions = {}): string => {
  const marked = new Marked({
    renderer: {
      heading({ text, depth, tokens }) {
        const id = depth >= anchorsFrom ? ` id="${anchorOf(text)}"` : "";
        return `<h${depth}${id}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      ...renderer,
    },
  });
  return marked.parse(markdown, { async: false });
};
