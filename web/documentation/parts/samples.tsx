import { useState } from "react";
import type { Sample } from "../guide.ts";
import { type Language, languages, personalise } from "../samples/languages.ts";
import { useReader } from "./reader.tsx";

/** Code in the language that the reader prefers, with the others to choose from. */
export const Samples = ({ samples }: { samples: readonly Sample[] }) => {
  const reader = useReader();
  const shown = samples.find(({ language }) => language === reader.language) ?? samples[0];
  if (!shown) return null;
  const code = shown.language === "json" ? shown.code : personalise(shown.code, shown.language, reader);
  return (
    <figure className="samples">
      <figcaption className="samples-bar row spread">
        <fieldset className="languages row">
          <legend className="hidden">Language</legend>
          {samples.map(({ language }) =>
            language === "json" ? (
              <span key={language}>Example</span>
            ) : (
              <button
                key={language}
                type="button"
                aria-pressed={language === shown.language}
                onClick={() => reader.setLanguage(language)}
              >
                {languages[language]}
              </button>
            ),
          )}
        </fieldset>
        <CopyButton text={code} />
      </figcaption>
      <Code code={code} language={shown.language} />
    </figure>
  );
};

export const Code = ({ code, language }: Sample) => (
  <pre className="code">
    <code>
      {highlight(code, language).map(({ kind, code: piece, start }) => (
        <span key={start} className={kind}>
          {piece}
        </span>
      ))}
    </code>
  </pre>
);

const CopyButton = ({ text }: { text: string }) => {
  const [copied, setCopied] = useState("");
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(text);
  };
  return (
    <button type="button" className="copy" onClick={copy}>
      {copied === text ? "Copied" : "Copy"}
    </button>
  );
};

interface Piece {
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
