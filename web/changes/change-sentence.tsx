import { createElement } from "react";
import { addresses } from "../../lambdas/addresses.ts";
import type { PastChange } from "../api/types.ts";
import { Address } from "../parts/address.tsx";
import { PageLink } from "../parts/page-link.tsx";
import { localTime, utcTime } from "../parts/time.ts";
import { VisibleText } from "../parts/visible-text.tsx";
import { ChangeAuthor } from "./change-author.tsx";
import { type Part, partsOfChange, type Subject } from "./change-parts.ts";
import { TokenLink } from "./token-link.tsx";
import "./changes.css";

interface ChangeSentenceProps {
  change: PastChange;
  /** The subject of the page that the sentence is on. */
  subject?: Subject | undefined;
}

/** A change as a sentence, with links to the people, tokens and keys in it. */
export const ChangeSentence = ({ change, subject }: ChangeSentenceProps) =>
  createElement(
    "span",
    { className: "change-sentence" },
    ...partsOfChange(change, subject).map((part) => shown(part, subject)),
    ".",
  );

const shown = (part: Part, subject: Subject | undefined) => {
  if (typeof part === "string") return part;
  switch (part.type) {
    case "author":
      return <ChangeAuthor author={part.author} subject={subject} />;
    case "verb":
      return <strong>{part.text}</strong>;
    case "token":
      return <TokenLink tokenId={part.tokenId} words={part.words} />;
    case "key":
      return (
        <PageLink href={addresses.key(part.keyId)}>
          <VisibleText text={part.keyId} />
        </PageLink>
      );
    case "address":
      return <Address ip={part.text} />;
    case "code":
      return <code className="address nowrap">{part.text}</code>;
    case "time":
      return (
        <time dateTime={part.text} title={utcTime(part.text)}>
          {localTime(part.text)}
        </time>
      );
  }
};
