import type { ErrorExplanation, Operation } from "./description.ts";
import type { Language } from "./samples/languages.ts";

/** The documentation's content. Texts are HTML that the build made from this project's own Markdown. */
export interface Site {
  title: string;
  version: string;
  pages: Page[];
  errors: Record<string, ErrorExplanation>;
}

export type Page = ChapterPage | OperationPage;

interface PageHead {
  /** The path, relative to the base URL. */
  path: string;
  title: string;
  /** A one-sentence summary without markup. */
  about: string;
  /** The group's heading in the table of contents. */
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

/** The content below a heading. */
export interface Section {
  /** Empty for the content before the first heading. */
  id: string;
  title: string;
  parts: Part[];
}

/** A text and the code next to it. */
export interface Part {
  html: string;
  /** The same code in several languages. */
  samples: Sample[];
}

export interface Sample {
  /** The language that the code is written in. */
  language: Language | "json";
  code: string;
  /** The language whose tab shows the code, if it is not `language`: a client's tab can show the shell command that starts it. */
  tab?: Language;
}
