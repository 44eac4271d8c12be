import { documentationPage } from "../../../lambdas/addresses.ts";
import type { ChapterPage, OperationPage } from "../site.ts";

/** Chapters, and sections of them, that have another name now. */
const renamed: Readonly<Record<string, string>> = {
  tokens: "authentication",
  "tokens/when-it-ends": "expiry",
  "invitations/rotate-your-token": "expiry",
  "invitations/move-to-another-address": "address",
  "invitations/end-your-token": "leak",
};

/** What tells a page from others. */
type Named = Pick<ChapterPage, "path" | "id"> | (Pick<OperationPage, "path"> & { operation: { id: string } });

/**
 * Where the content of a fragment such as `#/guide/errors/token_missing` is now: the documentation had one address once, and all
 * its links had fragments.
 */
export const addressOfFragment = (fragment: string, pages: readonly Named[]): string | undefined => {
  const [start, section, id = "", anchor = ""] = fragment.split("/");
  if (start !== "#" || !id) return undefined;
  const operation = pages.find((page) => "operation" in page && page.operation.id === id);
  if (section !== "guide") return operation?.path;
  const moved = renamed[`${id}/${anchor}`];
  if (moved) return documentationPage(moved);
  const chapter = pages.find((page) => "id" in page && page.id === (renamed[id] ?? id));
  return chapter && `${chapter.path}${anchor && `#${anchor}`}`;
};
