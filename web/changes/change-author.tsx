import { addresses } from "../../lambdas/addresses.ts";
import type { Author } from "../parts/author.ts";
import { PageLink } from "../parts/page-link.tsx";
import { PersonName } from "../parts/person-name.tsx";
import type { Subject } from "./change-parts.ts";
import { TokenLink } from "./token-link.tsx";

interface ChangeAuthorProps {
  author: Author;
  subject?: Subject | undefined;
  /** Not at the beginning of a sentence. */
  isWithinSentence?: boolean;
}

/** Who made a change: a link to everything that they have done, or to the client's token. */
export const ChangeAuthor = ({ author, subject, isWithinSentence = false }: ChangeAuthorProps) => {
  if (author.type === "client") {
    const client = isWithinSentence ? "the client" : "The client";
    if (author.tokenId === subject?.token_id) return client;
    return (
      <>
        {client} of <TokenLink tokenId={author.tokenId} />
      </>
    );
  }
  if (author.type === "user") return <PersonLink name={author.name} />;
  if (author.name === undefined) return isWithinSentence ? "an invocation" : "An invocation";
  return (
    <>
      <PersonLink name={author.name} />
      {isWithinSentence ? " (by invocation)" : ", by invocation,"}
    </>
  );
};

const PersonLink = ({ name }: { name: string }) => (
  <PageLink href={addresses.historyOf({ person: name })}>
    <PersonName name={name} />
  </PageLink>
);
