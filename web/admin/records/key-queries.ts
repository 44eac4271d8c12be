import { queryOptions, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import * as z from "zod/mini";
import { keyId, replaceable } from "../../../lambdas/domain/keys/key-fields.ts";
import { type AdminApi, loadPages } from "../api/admin-api.ts";
import { ApiFailure } from "../api/api-failure.ts";
import type { ListedKey } from "../api/types.ts";
import { useApp } from "../parts/app-context.tsx";
import { type KeyPage, keyKey, keyPagesKey } from "./caches.ts";

const pageSize = 50;

/**
 * Loads a page of all keys, or of those whose key_id begins with a prefix. A search reads on until the page is full, and is not
 * repeated when the user comes back from a key.
 */
export const useKeys = (prefix: string | undefined, after: string | undefined) => {
  const { api } = useApp();
  return useQuery({
    queryKey: [...keyPagesKey, prefix ?? null, after ?? null],
    queryFn: async ({ signal }): Promise<KeyPage> => {
      const pages = await loadPages((cursor) => api("list_keys", { prefix, limit: pageSize, cursor }, { signal }), {
        after,
        isEnough: (read) => keysOn(read).length >= pageSize,
      });
      return { keys: keysOn(pages), next_cursor: pages.at(-1)?.next_cursor ?? null };
    },
    staleTime: prefix === undefined ? 0 : Number.POSITIVE_INFINITY,
  });
};

const keysOn = (pages: readonly KeyPage[]): ListedKey[] => pages.flatMap(({ keys }) => keys);

const useKeyOptions = (key_id: string) => {
  const { api } = useApp();
  return queryOptions({
    queryKey: keyKey(key_id),
    queryFn: ({ signal }) => api("get_key", { key_id }, { signal }),
  });
};

/** Loads a key without its v_code. */
export const useKey = (keyId: string) => useQuery(useKeyOptions(keyId));

/** Loads the key with exactly this key_id, if there is one. The 404 for a missing key is a final result. */
export const useExactKey = (text = "") =>
  useQuery({
    ...useKeyOptions(text),
    enabled: z.safeParse(keyId, text).success,
    staleTime: Number.POSITIVE_INFINITY,
    retryOnMount: false,
  });

/** Returns a check that fails once if somebody else has changed the key since it was shown. */
export const useUnchangedKey = ({ key_id, updated_at }: ListedKey) => {
  const seen = useRef(updated_at);
  return async (api: AdminApi): Promise<void> => {
    const current = await api("get_key", { key_id });
    const isChanged = current.updated_at !== seen.current;
    seen.current = current.updated_at;
    if (isChanged) throw new ApiFailure({ status: 409, message: changed });
  };
};

const changed = `The ${replaceable} was replaced after this page showed the key. Press again to replace it anyway.`;
