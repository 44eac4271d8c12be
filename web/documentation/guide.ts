import { type Language, languages } from "./samples/languages.ts";

/** A chapter of the guide, which the page contains as HTML so that it can be read without JavaScript. */
export interface Chapter {
  id: string;
  title: string;
  blocks: Block[];
  /** All its text, for the search. */
  text: string;
}

type Block = { html: string } | { samples: Sample[] };

export interface Sample {
  language: Language | "json";
  code: string;
}

/** The id of a chapter's element, which is also its address on the page. */
const addressPrefix = "/guide/";

/** Reads the chapters from the page. Code blocks that follow each other are one sample in several languages. */
export const readChapters = (guide: Element): Chapter[] =>
  [...guide.querySelectorAll("article")].map((article) => ({
    id: article.id.slice(addressPrefix.length),
    title: article.querySelector("h1")?.textContent ?? "",
    blocks: blocksOf([...article.children].filter(({ tagName }) => tagName !== "H1")),
    text: article.textContent ?? "",
  }));

const blocksOf = (elements: Element[]): Block[] => {
  const blocks: Block[] = [];
  for (const element of elements) {
    const sample = sampleIn(element);
    const last = blocks.at(-1);
    if (!sample) blocks.push({ html: element.outerHTML });
    else if (last && "samples" in last) last.samples.push(sample);
    else blocks.push({ samples: [sample] });
  }
  return blocks;
};

const sampleIn = (element: Element): Sample | undefined => {
  if (element.tagName !== "PRE") return undefined;
  const code = element.querySelector("code");
  const name = code?.className.replace("language-", "") ?? "";
  return { language: isLanguage(name) ? name : "json", code: (code?.textContent ?? "").trimEnd() };
};

const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name);
