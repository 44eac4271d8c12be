import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Token } from "../../../api/types.ts";
import { useApp, usePolling } from "../../../parts/app-context.tsx";
import { recordKey, showInList } from "../../../records/caches.ts";
import { confirmedMove, isInvited, isLive, pendingRequest, statusOf } from "../token/token-status.ts";

/** Polling interval for requests that nobody expects, such as a request to move. The client's operator is on the phone. */
const requestMs = 8_000;
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
export const isOutstanding = (token: Token, now: number): boolean =>
  pendingRequest(token, now) !== undefined ||
  confirmedMove(token, now) !== undefined ||
  (isInvited(statusOf(token, now)) && (token.ip === null || token.request !== null));

/** Returns the polling interval for a token that is shown. */
export const watchMs = (token: Token, now = Date.now()): number | false => {
  const status = statusOf(token, now);
  if (isOutstanding(token, now)) return soonMs;
  return isLive(status) || isInvited(status) ? laterMs : false;
};

/** Returns the next ids after `last`. Starts again from the beginning after the last id. Each id occurs at most once. */
export const nextInTurn = (ids: readonly string[], last: string, count: number): string[] => {
  const sorted = ids.toSorted();
  const begin = sorted.findIndex((id) => id > last);
  const inOrder = begin === -1 ? sorted : [...sorted.slice(begin), ...sorted.slice(0, begin)];
  return inOrder.slice(0, count);
};

/** How many tokens are looked up at a time. If there are more, they take turns. */
const atATime = 3;

/** Reloads only the tokens that will soon need a decision. */
export const useOutstanding = (tokens: readonly Token[]) => {
  const { api } = useApp();
  const last = useRef("");
  const ids = tokens.map(({ token_id }) => token_id);
  return useQuery({
    queryKey: ["outstanding"],
    queryFn: async ({ client, signal }) => {
      const turn = nextInTurn(ids, last.current, atATime);
      last.current = turn.at(-1) ?? "";
      for (const token of await Promise.all(turn.map((token_id) => api("get", { token_id }, { signal }))))
        showInList(client, token);
      return Date.now();
    },
    enabled: ids.length > 0,
    refetchInterval: usePolling<number>(() => soonMs),
  });
};

/** Shows new requests of all tokens without reloading the tokens. The service reads only the tokens that were changed recently. */
export const useRequests = () => {
  const { api } = useApp();
  const seen = useRef(new Set<string>());
  useQuery({
    queryKey: ["requests"],
    queryFn: async ({ client, signal }) => {
      const since = new Date(Date.now() - lookBackMs).toISOString();
      const { changes } = await api("history", { kind: "requested", since, limit: 100 }, { signal });
      for (const { token_id, time } of changes) {
        const id = `${token_id} ${time}`;
        if (token_id === null || seen.current.has(id)) continue;
        const token = await api("get", { token_id }, { signal });
        showInList(client, token);
        client.setQueryData(recordKey(token_id), token);
        seen.current.add(id);
      }
      return Date.now();
    },
    // The page has just loaded the existing requests.
    initialData: Date.now,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: usePolling<number>(() => requestMs),
  });
};
