import { useState } from "react";
import type { Sample } from "../guide.ts";
import { useReader } from "../reader.ts";
import { highlight } from "../samples/highlight.ts";
import { languages, personalise } from "../samples/languages.ts";

interface SamplesProps {
  samples: readonly Sample[];
}

/** Code in the language that the reader prefers, with the others to choose from. */
export const Samples = ({ samples }: SamplesProps) => {
  const reader = useReader();
  const shown = samples.find(({ language }) => language === reader.language) ?? samples[0];
  if (!shown) return null;
  const code = shown.language === "json" ? shown.code : personalise(shown.code, shown.language, reader);

  return (
    <figure className="samples">
      <figcaption className="samples-bar">
        <Languages samples={samples} shown={shown} />
        <CopyButton text={code} />
      </figcaption>
      <Code code={code} language={shown.language} />
    </figure>
  );
};

interface LanguagesProps extends SamplesProps {
  shown: Sample;
}

const Languages = ({ samples, shown }: LanguagesProps) => {
  const { setLanguage } = useReader();
  return (
    <fieldset className="languages">
      <legend className="hidden">Language</legend>
      {samples.map(({ language }) =>
        language === "json" ? (
          <span key={language}>Example</span>
        ) : (
          <button
            key={language}
            type="button"
            aria-pressed={language === shown.language}
            onClick={() => setLanguage(language)}
          >
            {languages[language]}
          </button>
        ),
      )}
    </fieldset>
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

interface CopyButtonProps {
  text: string;
}

const CopyButton = ({ text }: CopyButtonProps) => {
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
