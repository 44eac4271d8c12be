import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ListedKey } from "../../api/types.ts";
import { useApp } from "../../parts/app-context.ts";

const pageSize = 50;

/** The page of keys that starts after a cursor; the first page without one. */
export const useKeys = (after: string | undefined) => {
  const { api } = useApp();
  return useQuery({
    queryKey: ["keys", after ?? null],
    queryFn: () => api("list_keys", { limit: pageSize, cursor: after }),
  });
};

/** A key without its v_code, which is only loaded when the user asks to see it. */
export const useKey = (keyId: string) => {
  const { api } = useApp();
  return useQuery({
    queryKey: ["key", keyId],
    queryFn: async (): Promise<ListedKey> => {
      const { v_code: _, ...key } = await api("get_key", { key_id: keyId });
      return key;
    },
  });
};

/** Loads what is shown again after a change, and forgets the pages and keys that are not shown. */
export const useKeyReload = () => {
  const client = useQueryClient();
  return () => {
    for (const queryKey of [["keys"], ["key"]]) {
      client.removeQueries({ queryKey, type: "inactive" });
      client.invalidateQueries({ queryKey });
    }
  };
};
