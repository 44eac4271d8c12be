import { Marked, type RendererObject } from "marked";
import { anchorOf } from "../../../lambdas/addresses.ts";

interface RenderOptions {
  /** The level of the highest headings that get an anchor. */
  anchorsFrom?: number;
  /** How other elements are rendered. */
  renderer?: RendererObject;
}

/** A document of this project as HTML, with an anchor at each heading. */
export const renderMarkdown = (markdown: string, { anchorsFrom = 1, renderer = {} }: RenderOptions = {}): string => {
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
