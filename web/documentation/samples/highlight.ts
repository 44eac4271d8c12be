import type { Language } from "./languages.ts";

export interface Piece {
  kind: "comment" | "text" | "word" | "number" | "plain";
  code: string;
  /** Where it begins. */
  start: number;
}

const words =
  /\b(?:await|break|catch|class|const|continue|curl|def|echo|elif|else|except|exit|export|False|false|for|from|function|if|import|in|is|let|new|None|not|null|of|or|and|raise|return|sleep|throw|True|true|try|while|with|yield)\b/;

const comments: Readonly<Record<Language | "json", RegExp>> = {
  sh: /(?<=^|\s)#[^\n]*/,
  js: /\/\/[^\n]*/,
  python: /#[^\n]*/,
  php: /\/\/[^\n]*/,
  json: /(?!)/,
};

const texts = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/;
const numbers = /\b\d[\d_.]*\b/;

/** Code in pieces for colouring: strings, comments, keywords and numbers. Only the colours depend on it. */
export const highlight = (code: string, language: Language | "json"): Piece[] => {
  const parts = new RegExp(
    `(?<text>${texts.source})|(?<comment>${comments[language].source})|(?<word>${words.source})|(?<number>${numbers.source})`,
    "gm",
  );
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of code.matchAll(parts)) {
    const { text, comment, word } = match.groups ?? {};
    const start = match.index;
    if (start > end) pieces.push({ kind: "plain", code: code.slice(end, start), start: end });
    end = start + match[0].length;
    const isName = language === "json" && code[end] === ":";
    const kind = isName ? "word" : text ? "text" : comment ? "comment" : word ? "word" : "number";
    pieces.push({ kind, code: match[0], start });
  }
  return [...pieces, { kind: "plain", code: code.slice(end), start: end }];
};
