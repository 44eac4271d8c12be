import { createContext, useContext } from "react";
import type { Language, Reader } from "./samples/languages.ts";

/** What the reader has chosen. It is kept in memory only, because it includes the token. */
export interface ReaderState extends Reader {
  language: Language;
  setToken(token: string): void;
  setLanguage(language: Language): void;
}

export const ReaderContext = createContext<ReaderState | undefined>(undefined);

export const useReader = (): ReaderState => {
  const reader = useContext(ReaderContext);
  if (!reader) throw new Error("The reader is provided by the page.");
  return reader;
};
