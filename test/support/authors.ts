import { type Author, type ChangeNote, parseEntry } from "../../lambdas/domain/history/change-entry.ts";
import type { TokenChangeKind } from "../../lambdas/domain/history/change-kinds.ts";

/** The author of changes in tests, unless a test specifies another one. */
export const author: Author = { by: "admin@example.com", from: "203.0.113.1", requestId: "request" };

/** The note of a token's change in a test. */
export const noteOf = (kind: TokenChangeKind): ChangeNote<TokenChangeKind> => ({ kind, author });

/** Returns the kinds and authors of a history's entries. */
export const changesIn = (entries: readonly string[]) =>
  entries.map(parseEntry).map(({ kind, author }) => ({ kind, author }));
