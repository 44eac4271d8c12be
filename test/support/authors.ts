import { type Author, type ChangeNote, parseEntry } from "../../lambdas/resources/history/change-entry.ts";
import type { TokenChangeKind } from "../../lambdas/resources/history/change-kinds.ts";

/** Who makes the changes of tests, unless a test says otherwise. */
export const author: Author = { by: "admin@example.com", from: "203.0.113.1", requestId: "request" };

/** What a test's change of a token says about itself. */
export const noteOf = (kind: TokenChangeKind): ChangeNote<TokenChangeKind> => ({ kind, author });

/** What the entries of a history say was done, and by whom. */
export const changesIn = (entries: readonly string[]) =>
  entries.map(parseEntry).map(({ kind, author }) => ({ kind, author }));
