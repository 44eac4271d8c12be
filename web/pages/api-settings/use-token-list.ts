import { useCallback, useMemo, useRef, useState } from "react";
import type { Token } from "../../api/token.ts";
import { useLoaded } from "../../parts/use-loaded.ts";
import { useApp } from "../../shell/app-context.ts";

/** Of 1000 tokens each. Beyond them a browser's table is no longer the tool. */
const mostPages = 20;

/** All tokens, loaded page after page, and kept up with what is done on this page. */
export const useTokenList = () => {
  const { api } = useApp();
  const [loadedCount, setLoadedCount] = useState(0);
  /** What was put in while the list was on its way, and may be newer than what comes. */
  const recent = useRef(new Map<string, Token>());

  const load = useCallback(async () => {
    recent.current.clear();
    setLoadedCount(0);
    const byId = new Map<string, Token>();
    let cursor: string | null = null;
    for (let page = 0; page < mostPages; page += 1) {
      const { tokens, next_cursor } = await api.listTokens(cursor ?? undefined);
      for (const token of tokens) byId.set(token.token_id, token);
      setLoadedCount(byId.size);
      cursor = next_cursor;
      if (cursor === null) break;
    }
    return { byId: new Map([...byId, ...recent.current]), isComplete: cursor === null };
  }, [api]);
  const { value, update, ...loaded } = useLoaded(load);

  const put = useCallback(
    (token: Token) => {
      recent.current.set(token.token_id, token);
      update(({ byId, ...rest }) => ({ ...rest, byId: new Map(byId).set(token.token_id, token) }));
    },
    [update],
  );

  const tokens = useMemo(() => [...(value?.byId.values() ?? [])], [value]);
  const find = (id: string): Token | undefined => value?.byId.get(id);
  return { ...loaded, tokens, find, put, loadedCount, isComplete: value?.isComplete ?? true };
};

export type TokenList = ReturnType<typeof useTokenList>;
