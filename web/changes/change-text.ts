import type { Change } from "../api/types.ts";
import type { Author } from "../parts/author.ts";
import { type Part, partsOfChange } from "./change-parts.ts";

/** What to call a token in a text. */
type NameOf = (tokenId: string) => string;

/** A change as a sentence. */
export const changeAsText = (change: Change, nameOf: NameOf): string =>
  `${partsOfChange(change)
    .map((part) => textOf(part, nameOf))
    .join("")}.`;

const textOf = (part: Part, nameOf: NameOf): string => {
  if (typeof part === "string") return part;
  switch (part.type) {
    case "author":
      return authorAsText(part.author, nameOf);
    case "token":
      return part.words ?? nameOf(part.tokenId);
    case "key":
      return part.keyId;
    default:
      return part.text;
  }
};

const authorAsText = (author: Author, nameOf: NameOf): string => {
  if (author.type === "user") return author.name;
  if (author.type === "client") return `The client of ${nameOf(author.tokenId)}`;
  return author.name === undefined ? "An invocation" : `${author.name}, by invocation,`;
};
