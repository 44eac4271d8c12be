import { replaceable } from "../../../lambdas/domain/keys/key-fields.ts";
import type { Change } from "../api/types.ts";
import { durationInWords } from "../parts/time.ts";
import { type Author, authorOf, titleOf } from "../parts/values.tsx";
import { describeRateLimit } from "../records/terms.ts";

/** A part of a sentence about a change: words, or something that the interface renders specially. */
export type Part =
  | string
  | { type: "author"; author: Author }
  /** What was done. */
  | { type: "verb"; text: string }
  /** A token, shown by its name or by these words. */
  | { type: "token"; tokenId: string; words?: string }
  | { type: "key"; keyId: string }
  | { type: "address" | "time"; text: string };

/** The subject of a page. Sentences on the page call it "this token" or "this key". */
export type Subject = Partial<Pick<Change, "token_id" | "key_id">>;

/** Returns the parts of a sentence about a change, without the full stop. */
export const partsOfChange = (change: Change, subject: Subject = {}): Part[] => {
  const author = authorOf(change.by);
  const isOwn = author.type === "client" && author.tokenId === change.token_id;
  return [{ type: "author", author }, " ", ...predicateOf(change, { object: objectOf(change, subject, isOwn), isOwn })];
};

interface SentenceContext {
  /** The record that was changed. */
  object: Part;
  /** Whether a client changed its own token. */
  isOwn: boolean;
}

const objectOf = ({ token_id, key_id }: Change, subject: Subject, isOwn: boolean): Part => {
  if (key_id !== null) return key_id === subject.key_id ? "this key" : { type: "key", keyId: key_id };
  if (isOwn) return "its token";
  return token_id === null || token_id === subject.token_id ? "this token" : { type: "token", tokenId: token_id };
};

const predicateOf = (change: Change, { object, isOwn }: SentenceContext): Part[] => {
  const { kind, details, key_id } = change;
  const token_id = change.token_id ?? undefined;
  const isSubject = typeof object === "string";
  const { ip, expires_at, successor_id, predecessor_id } = details;
  const key = isSubject ? [object] : ["the key ", object];
  const ofClient = details.client === undefined ? [] : [` (client ${details.client})`];
  const workload = isSubject ? ["this workload"] : ["the workload ", object];
  switch (kind) {
    case "issued":
      return [verb("issued"), " ", object, ...ofClient, ...address(" for ", ip)];
    case "invited":
      return [
        ...[verb("invited"), " ", isSubject ? "the client" : object, ...ofClient],
        ...(ip ? address(" at ", ip) : [", at an address to be confirmed"]),
      ];
    case "requested":
      // Leaves out the code, because an admin must hear it from the client's operator.
      return [verb("asked"), " to use ", object, ...address(" from ", ip)];
    case "confirmed":
    case "rejected":
      return [verb(kind), ...address(" the address ", ip), " for ", object];
    case "redeemed":
      return isOwn ? [verb("redeemed"), " its invitation"] : [verb("redeemed"), " the invitation ", object];
    case "updated":
      return [verb("edited"), " ", object, ...editsOf(details)];
    case "leak_dismissed":
      return [verb("dismissed"), ...address(" the warning about ", ip), " for ", object];
    case "leak_restored":
      return [verb("restored"), ...address(" the warning about ", ip), " for ", object];
    case "rotated":
      return [
        ...[verb("rotated"), " ", object],
        ...other(": ", "a new token", " replaces it", successor_id),
        ...marked(", and the old one ends ", "time", expires_at),
      ];
    case "moved":
      return [
        ...[verb("moved"), " ", object, ...address(" to ", ip)],
        ...other(", where ", "a new token", " replaces it", successor_id),
      ];
    case "succeeded":
      return [
        ...[verb("issued"), " ", object, ...address(" for ", ip)],
        ...other(", to replace ", "an earlier token", "", predecessor_id),
      ];
    case "revoked":
      return [verb("revoked"), " ", object];
    case "exchanged":
      // The token has the name of its workload.
      return [
        verb("exchanged"),
        ...(isSubject ? [" a JWT for ", object] : other(" a JWT for ", "a token", "", token_id)),
      ];
    case "trusted":
      return [
        verb("trusted"),
        ...(isSubject
          ? [" this workload"]
          : other(" the workload ", details.subject ?? "", ` of ${details.issuer}`, token_id)),
        ...ofClient,
      ];
    case "trust_updated":
      return details.tokens === undefined
        ? [verb("edited"), " the trust in ", ...workload, ...editsOf(details)]
        : [verb("ended"), " all tokens of ", ...workload];
    case "trust_ended":
      return [verb("stopped trusting"), " ", ...workload];
    case "created":
    case "deleted":
      return [verb(kind), " ", ...key];
    case "revealed":
      return [verb("looked at"), " the v_code of ", ...(key_id === null ? [object] : key)];
    case "replaced":
      return [verb("replaced"), ` the ${replaceable} of `, ...(key_id === null ? [object] : key)];
  }
};

const verb = (text: string): Part => ({ type: "verb", text });

const marked = (words: string, type: "address" | "time", text: string | undefined): Part[] =>
  text === undefined ? [] : [words, { type, text }];

const address = (words: string, ip: string | undefined): Part[] => marked(words, "address", ip);

/** Mentions another token in these words, because its comment is usually the same and would not distinguish it. */
const other = (before: string, words: string, after: string, tokenId: string | undefined): Part[] =>
  tokenId === undefined ? [] : [before, { type: "token", tokenId, words }, after];

const editsOf = ({ comment, token_seconds, ip, expires_at, rate_limit }: Change["details"]): Part[] => {
  const edits: Part[][] = [
    ...(comment === undefined ? [] : [["a new comment"]]),
    ...(token_seconds === undefined ? [] : [[`its tokens live for ${durationInWords(Number(token_seconds))}`]]),
    ...(ip === undefined ? [] : [ip === "none" ? ["any address"] : address("only the address ", ip)]),
    ...(expires_at === undefined ? [] : [expiryPart(expires_at)]),
    ...(rate_limit === undefined ? [] : [[limitText(rate_limit)]]),
  ];
  return edits.flatMap((edit, index) => [index === 0 ? ": " : ", ", ...edit]);
};

const expiryPart = (expiresAt: string): Part[] =>
  expiresAt === "never" || expiresAt === "none"
    ? ["it never expires"]
    : ["it expires ", { type: "time", text: expiresAt }];

const limitText = (limit: string): string =>
  limit === "none" ? "no limit" : `at most ${describeRateLimit(Number(limit))}`;

/** Returns the name of a token in a sentence. */
type NameOf = (tokenId: string) => string;

/** Returns a change as a sentence. */
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

/** Returns the author of a change in words. */
const authorAsText = (author: Author, nameOf: NameOf): string => {
  if (author.type === "user") return author.name;
  if (author.type === "client") {
    const { title, link } = titleOf(author.tokenId);
    return title + link + nameOf(author.tokenId);
  }
  return author.name === undefined ? "A command" : `${author.name}, by command,`;
};
