import type { ErrorExplanation, Operation } from "./description.ts";
import type { Language } from "./samples/languages.ts";

/** Everything that the documentation shows. Texts are HTML, made from this project's own Markdown when the site is built. */
export interface Site {
  title: string;
  version: string;
  pages: Page[];
  errors: Record<string, ErrorExplanation>;
}

export type Page = ChapterPage | OperationPage;

interface PageHead {
  /** Its address, from the base URL. */
  path: string;
  title: string;
  /** What it is about, in a sentence without markup. */
  about: string;
  /** The heading above it in the table of contents. */
  group: string;
}

/** A chapter of the guide. */
export interface ChapterPage extends PageHead {
  id: string;
  sections: Section[];
}

export interface OperationPage extends PageHead {
  operation: Operation;
}

/** What stands below a heading. */
export interface Section {
  /** Empty for what comes before the first heading. */
  id: string;
  title: string;
  parts: Part[];
}

/** A text with the code that stands beside it. */
export interface Part {
  html: string;
  /** The same code in several languages. */
  samples: Sample[];
}

export interface Sample {
  language: Language | "json";
  code: string;
}
