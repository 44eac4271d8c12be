import { createContext, useContext } from "react";
import type { Credential } from "./description/description.ts";
import type { Language, Reader } from "./samples/languages.ts";

/** What the reader has chosen. It is kept in memory only, because it includes secrets. */
export interface ReaderState extends Reader {
  language: Language;
  setCredential(credential: Credential, text: string): void;
  setLanguage(language: Language): void;
}

export const ReaderContext = createContext<ReaderState | undefined>(undefined);

export const useReader = (): ReaderState => {
  const reader = useContext(ReaderContext);
  if (!reader) throw new Error("The reader is provided by the page.");
  return reader;
};
