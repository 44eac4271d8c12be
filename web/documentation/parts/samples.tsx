import { useState } from "react";
import { documentationPage, exampleAddress } from "../../../lambdas/shared/addresses.ts";
import { type Language, languages, personalise, type Reader } from "../samples/languages.ts";
import type { Sample } from "../site.ts";
import { useReader } from "./reader.tsx";

/**
 * Shows code in the reader's preferred language, or else in the first one, with tabs for the others. Without JavaScript, all
 * languages are shown.
 */
export const Samples = ({ samples }: { samples: readonly Sample[] }) => {
  const reader = useReader();
  const chosen = samples.find((sample) => tabOf(sample) === reader.language) ?? samples[0];
  if (!chosen) return null;
  return (
    <figure className="samples">
      <figcaption className="samples-bar row spread">
        <fieldset className="languages row" aria-label="Language">
          {samples.map((sample) => {
            const tab = tabOf(sample);
            return tab === "json" ? (
              <span key={tab}>Example</span>
            ) : (
              <button key={tab} type="button" aria-pressed={sample === chosen} onClick={() => reader.setLanguage(tab)}>
                {languages[tab]}
              </button>
            );
          })}
        </fieldset>
        <CopyButton text={textOf(chosen, reader)} />
      </figcaption>
      {samples.map((sample) => {
        const tab = tabOf(sample);
        return (
          <div key={tab} className={sample === chosen ? "sample" : "sample other"}>
            {tab !== "json" && <p className="language">{languages[tab]}</p>}
            <Code code={textOf(sample, reader, true)} language={sample.language} />
            {tab !== "json" && usesClient(sample) && (
              <p className="client hint">
                This sample uses the <a href={documentationPage("clients")}>client for {languages[tab]}</a>.
              </p>
            )}
          </div>
        );
      })}
    </figure>
  );
};

const tabOf = (sample: Sample): Language | "json" => sample.tab ?? sample.language;

const usesClient = ({ code }: Sample): boolean => /IntegrationClient|open_?(kept|workload)_?client/i.test(code);

const textOf = ({ code, language }: Sample, reader: Reader, isMasked = false): string =>
  language === "json"
    ? code.replaceAll(exampleAddress, reader.address)
    : personalise(code, language, reader, { isMasked });

export const Code = ({ code, language }: Sample) => (
  <pre className="code" ref={(code) => makeScrollable(code)}>
    <code>
      {highlight(code, language).map(({ kind, code: piece, start }) => (
        <span key={start} className={kind}>
          {piece}
        </span>
      ))}
    </code>
  </pre>
);

/** Lets the keyboard scroll code that is wider than its box. Safari needs this. */
const makeScrollable = (code: HTMLElement | null): void => {
  if (code && code.scrollWidth > code.clientWidth) code.tabIndex = 0;
};

interface CopyButtonProps {
  text: string;
  /** Whether to copy what is at this address. */
  isAddress?: boolean;
  label?: string;
}

export const CopyButton = ({ text, isAddress = false, label = "Copy" }: CopyButtonProps) => {
  const [outcome, setOutcome] = useState({ text: "", label });
  const copy = async () => {
    try {
      // Safari lets a page copy only during the click, so it gets a promise of the text.
      if (isAddress) await navigator.clipboard.write([new ClipboardItem({ "text/plain": plainText(text) })]);
      else await navigator.clipboard.writeText(text);
      setOutcome({ text, label: "Copied" });
    } catch {
      setOutcome({ text, label: "Could not be copied" });
    }
  };
  return (
    <button type="button" className="copy" onClick={copy}>
      {outcome.text === text ? outcome.label : label}
    </button>
  );
};

const plainText = async (address: string): Promise<Blob> => {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} got ${response.status}.`);
  return new Blob([await response.text()], { type: "text/plain" });
};

interface Piece {
  kind: "comment" | "text" | "word" | "number" | "plain";
  code: string;
  /** The piece's offset in the code. */
  start: number;
}

const words =
  /\b(?:await|break|catch|class|const|continue|curl|def|echo|elif|else|except|exit|export|False|false|for|from|function|if|import|in|is|let|new|None|not|null|of|or|and|raise|return|sleep|throw|True|true|try|while|with|yield)\b/;

const comments: Readonly<Record<Language | "json", RegExp>> = {
  sh: /(?<=^|\s)#[^\n]*/,
  powershell: /(?<=^|\s)#[^\n]*/,
  ts: /\/\/[^\n]*/,
  python: /#[^\n]*/,
  php: /\/\/[^\n]*/,
  json: /(?!)/,
};

// A URL is always one piece, because the server renders a different URL than the browser.
const texts = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\bhttps?:\/\/[\w.:-]+/;
const numbers = /\b\d[\d_.]*\b/;

/** Splits code into pieces for colouring: strings, comments, keywords and numbers. Only the colours depend on the result. */
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
