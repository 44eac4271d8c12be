import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Token } from "../../../api/types.ts";
import { useApp, usePolling } from "../../../parts/app-context.tsx";
import { recordKey, showInList } from "../../../records/caches.ts";
import { confirmedMove, isInvited, isLive, pendingRequest, statusOf } from "../token/token-status.ts";

/** Polling interval for the steps of all clients. The operator of a client that asks to move is on the phone. */
const stepsMs = 8_000;
/** How far back to look, which allows for differences between the service's clock and the browser's. */
const lookBackMs = 120_000;

/** Polling interval while a client is expected to call. An admin is probably on the phone with its operator. */
export const soonMs = 3_000;
/** Polling interval for things that can happen at any time, such as a client's request to move. */
const laterMs = 30_000;

/**
 * Whether a token's next step is expected soon. True for an invitation without an address until it is redeemed, and for a move
 * until it is completed.
 */
const isOutstanding = (token: Token, now: number): boolean =>
  pendingRequest(token, now) !== undefined ||
  confirmedMove(token, now) !== undefined ||
  (isInvited(statusOf(token, now)) && (token.ip === null || token.request !== null));

/** Returns the polling interval for a token that is shown. */
export const watchMs = (token: Token, now = Date.now()): number | false => {
  const status = statusOf(token, now);
  if (isOutstanding(token, now)) return soonMs;
  return isLive(status) || isInvited(status) ? laterMs : false;
};

/** What clients do with invitations and moves, which the lists show at once. */
const followed = ["requested", "redeemed", "moved"] as const;

/** Shows what clients have just done, without reloading all tokens. The service reads only the tokens that were changed recently. */
export const useClientSteps = () => {
  const { api } = useApp();
  const seen = useRef(new Set<string>());
  return useQuery({
    queryKey: ["client-steps"],
    queryFn: async ({ client, signal }) => {
      const since = new Date(Date.now() - lookBackMs).toISOString();
      const pages = await Promise.all(followed.map((kind) => api("history", { kind, since, limit: 100 }, { signal })));
      for (const { kind, token_id, time } of pages.flatMap(({ changes }) => changes)) {
        const id = `${kind} ${token_id} ${time}`;
        if (token_id === null || seen.current.has(id)) continue;
        const token = await api("get", { token_id }, { signal });
        showInList(client, token);
        client.setQueryData(recordKey(token_id), token);
        seen.current.add(id);
      }
      return Date.now();
    },
    // The page has just loaded the existing tokens.
    initialData: Date.now,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: usePolling<number>(() => stepsMs),
  });
};
