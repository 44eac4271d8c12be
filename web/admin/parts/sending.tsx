import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use } from "react";
import type { AdminApi } from "../api/admin-api.ts";
import type { ApiFailure } from "../api/api-failure.ts";
import { type Changed, showKey, showToken, showTrust } from "../records/caches.ts";
import { type Once, useOnce } from "./use-once.ts";

/** Only `useSending` can read this context, so every change goes through its lock. */
const AdminApiContext = createContext<AdminApi | undefined>(undefined);

export const SendingProvider = ({ api, children }: { api: AdminApi; children: ReactNode }) => (
  <AdminApiContext value={api}>{children}</AdminApiContext>
);

export type Sending<Input, Result = unknown> = Once<Input, Result, ApiFailure>;

export interface SendingOptions<Result> {
  isRepeatable?: boolean;
  onDone?: (result: Result) => void;
}

/**
 * Sends a change once, however often its button is pressed. The change can be sent again only after a failure, unless it is
 * repeatable. The pages then show the changed record. After a failure that may have changed something, everything is reloaded.
 *
 * @example
 * const revoke = useSending((api) => api("revoke", { token_id }), { onDone: close });
 * <Button onClick={() => revoke.run()} />
 */
export const useSending = <Result extends Changed, Input = void>(
  work: (api: AdminApi, input: Input) => Promise<Result>,
  { onDone, ...options }: SendingOptions<Result> = {},
): Sending<Input, Result> => {
  const api = use(AdminApiContext);
  if (!api) throw new Error("useSending needs a SendingProvider around the component.");
  const client = useQueryClient();
  return useOnce<Input, Result, ApiFailure>(async (input) => work(api, input), {
    ...options,
    onDone: (result) => {
      showChanged(client, api, result);
      onDone?.(result);
    },
    onFailure: ({ isPageOutdated }) => {
      // Repeatable work changes nothing, or reloads by itself.
      if (!options.isRepeatable && isPageOutdated) client.invalidateQueries();
    },
  });
};

const showChanged = (client: QueryClient, api: AdminApi, changed: Changed): void => {
  if (changed === undefined || "v_code" in changed) return;
  if ("key_id" in changed) showKey(client, changed);
  else if ("subject" in changed) showTrust(client, changed);
  else showToken(client, changed);
  // A new token may replace another, which it changes.
  if (!("token" in changed) || changed.predecessor_id === null) return;
  api("get", { token_id: changed.predecessor_id }).then(
    (replaced) => showToken(client, replaced),
    () => client.invalidateQueries(),
  );
};
