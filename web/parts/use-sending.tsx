import { createContext, type ReactNode, use } from "react";
import type { AdminApi } from "../api/admin-api.ts";
import type { ApiFailure } from "../api/api-failure.ts";
import { type Once, useOnce } from "./use-once.ts";

/** Only `useSending` can read it, so that nothing is changed without its lock. */
const AdminApiContext = createContext<AdminApi | undefined>(undefined);

export const SendingProvider = ({ api, children }: { api: AdminApi; children: ReactNode }) => (
  <AdminApiContext value={api}>{children}</AdminApiContext>
);

export type Sending<Input, Result = unknown> = Once<Input, Result, ApiFailure>;

/**
 * Sends a change, once: however often its button is pressed, again only after a failure.
 *
 * @example
 * const revoke = useSending((api) => api("revoke", { token_id }), { onDone: onClose });
 * <Button onClick={() => revoke.run()} />
 */
export const useSending = <Result, Input = void>(
  work: (api: AdminApi, input: Input) => Promise<Result>,
  options?: Parameters<typeof useOnce<Input, Result, ApiFailure>>[1],
): Sending<Input, Result> => {
  const api = use(AdminApiContext);
  if (!api) throw new Error("useSending needs a SendingProvider around the component.");
  return useOnce((input) => work(api, input), options);
};
