import { useQuery, useQueryClient } from "@tanstack/react-query";
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

/** A key without its v_code. */
export const useKey = (keyId: string) => {
  const { api } = useApp();
  return useQuery({
    queryKey: ["key", keyId],
    queryFn: () => api("get_key", { key_id: keyId }),
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
