import type { AutosuggestProps } from "@cloudscape-design/components";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ActionResponse } from "../../../../lambdas/admin/contract.ts";
import { useApp } from "../../parts/app-context.tsx";
import { authorOf } from "../../parts/author.ts";
import type { TokenList } from "../../records/token-list.ts";
import { tokenName } from "../../tokens/token-name.tsx";

/** The query key shared by all pages of the history. */
export const historyPagesKey = ["history", "page"];

/** Returns the user's name and the names of all people in the changes that have been loaded. */
export const usePeople = (): AutosuggestProps.Options => {
  const { session } = useApp();
  const pages = useQueryClient().getQueriesData<ActionResponse<"history">>({ queryKey: historyPagesKey });
  const names = new Set([session.username]);
  for (const [, page] of pages) {
    for (const { by } of page?.changes ?? []) {
      const author = authorOf(by);
      if (author.type !== "client" && author.name !== undefined) names.add(author.name);
    }
  }
  return [...names].toSorted(collator.compare).map((value) => ({ value }));
};

/** Returns all tokens by name, with their ids. */
export const useTokenSuggestions = (tokens: TokenList["byId"]): AutosuggestProps.Options =>
  useMemo(
    () =>
      [...tokens.values()]
        .map((token) => ({ value: token.token_id, label: tokenName(token), description: token.ip ?? "" }))
        .toSorted((one, other) => collator.compare(one.label, other.label)),
    [tokens],
  );

const collator = new Intl.Collator("en", { numeric: true });
