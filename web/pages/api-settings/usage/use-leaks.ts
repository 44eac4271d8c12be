import { useCallback } from "react";
import type { Leak } from "../../../api/usage.ts";
import { useLoaded } from "../../../parts/use-loaded.ts";
import { useApp } from "../../../shell/app-context.ts";

/** The tokens whose right secret came from a wrong address lately, by their id. */
export type Leaks = ReadonlyMap<string, Leak>;

export const useLeaks = () => {
  const { api } = useApp();
  const load = useCallback(async (): Promise<Leaks> => {
    const { leaks } = await api.listLeaks();
    return new Map(leaks.map((leak) => [leak.token_id, leak]));
  }, [api]);
  return useLoaded(load);
};

export type LeakList = ReturnType<typeof useLeaks>;
