import { useMemo } from "react";
import type { Notice, Token } from "../../../api/types.ts";
import { attentionItems } from "./attention-items.ts";
import { useLeaks } from "./use-leaks.ts";
import { useUncertainNotices } from "./use-uncertain-notices.ts";

const none: readonly Notice[] = [];

/** What needs attention, the leaks among it, and which parts could not be loaded. */
export const useAttention = (tokens: readonly Token[], now: number) => {
  const leaks = useLeaks();
  const notices = useUncertainNotices();
  const { data: uncertain = none } = notices;
  const items = useMemo(
    () => attentionItems(tokens, { leaks: leaks.data, uncertain, now }),
    [tokens, leaks.data, uncertain, now],
  );
  return {
    items,
    leaks: leaks.data,
    failures: [
      { title: "Leak warnings could not be loaded", failure: leaks.error, onRetry: leaks.refetch },
      { title: "Undelivered notices could not be loaded", failure: notices.error, onRetry: notices.refetch },
    ].flatMap(({ failure, ...rest }) => (failure ? [{ ...rest, failure }] : [])),
    refetch: () => {
      leaks.refetch();
      notices.refetch();
    },
  };
};
