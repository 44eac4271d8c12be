import { createElement } from "react";
import { addresses } from "../../../lambdas/shared/addresses.ts";
import type { Change } from "../api/types.ts";
import { PageLink } from "../parts/page.tsx";
import { Address, type Author, authorOf, ExactMoment, LocalTime, OneLine, titleOf } from "../parts/values.tsx";
import { useKnownToken } from "../records/token-queries.ts";
import { type Part, partsOfChange, type Subject } from "./change-text.ts";

interface ChangeSentenceProps {
  change: Change;
  /** The subject of the page that shows the sentence. */
  subject?: Subject | undefined;
}

/** Shows a change as a sentence, with links to its people, tokens and keys. */
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
          <OneLine text={part.keyId} />
        </PageLink>
      );
    case "address":
      return <Address ip={part.text} />;
    case "time":
      return <LocalTime time={part.text} />;
  }
};

interface ChangeAuthorProps {
  author: Author;
  subject?: Subject | undefined;
  /** Whether other words precede the author's name in the sentence. */
  isWithinSentence?: boolean;
}

/** Names the author of a change, with a link to everything this person did, or to the client's token. A tooltip has the request id of a command. */
export const ChangeAuthor = ({ author, subject, isWithinSentence = false }: ChangeAuthorProps) => {
  if (author.type === "client") {
    const { title, link } = titleOf(author.tokenId);
    const client = isWithinSentence ? title.toLowerCase() : title;
    if (author.tokenId === subject?.token_id) return client;
    return (
      <>
        {client}
        {link}
        <TokenLink tokenId={author.tokenId} />
      </>
    );
  }
  if (author.type === "user") return <PersonLink name={author.name} />;
  const requestId = `Request id ${author.requestId}`;
  if (author.name === undefined) return <span title={requestId}>{isWithinSentence ? "a command" : "A command"}</span>;
  return (
    <>
      <PersonLink name={author.name} />
      <span title={requestId}>{isWithinSentence ? " (command)" : ", by command,"}</span>
    </>
  );
};

const PersonLink = ({ name }: { name: string }) => (
  <PageLink href={addresses.historyOf({ person: name })}>
    <OneLine text={name} />
  </PageLink>
);

interface TokenLinkProps {
  tokenId: string;
  /** Shown instead of the token's name. */
  words?: string | undefined;
}

/** Links to a token by its comment, or by its id if the token has no comment or the comment isn't known. */
export const TokenLink = ({ tokenId, words }: TokenLinkProps) => {
  const token = useKnownToken(tokenId);
  return (
    <PageLink href={addresses.token(tokenId)}>
      {words ?? (token?.comment ? <OneLine text={token.comment} /> : <code className="address">{tokenId}</code>)}
    </PageLink>
  );
};

/** Shows when something was done and, if known, by whom. */
export const TimeAndAuthor = ({ time, by }: { time: string; by: string | null }) => (
  <>
    <ExactMoment time={time} />
    {by !== null && (
      <div className="breakable">
        by <ChangeAuthor author={authorOf(by)} isWithinSentence />
      </div>
    )}
  </>
);

/** Shows the address that a change came from, unless a command made it. A tooltip has the id of the request. */
export const ChangeSource = ({ change: { from, request_id } }: { change: Change }) =>
  from !== null && (
    <div className="remark" title={`Request id ${request_id}`}>
      From <Address ip={from} />
    </div>
  );

/** Says that some changes are no longer in the history. */
export const DroppedNote = ({ dropped }: { dropped: number }) => (
  <span className="remark">
    {dropped === 1 ? "One older change is" : `${dropped.toLocaleString("en")} older changes are`} no longer kept: the
    history of each token and key keeps its first change and the latest ones.
  </span>
);
