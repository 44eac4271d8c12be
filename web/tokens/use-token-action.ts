import type { AdminApi } from "../api/admin-api.ts";
import type { Token } from "../api/types.ts";
import { type Sending, useApp, useSending } from "../parts/app-context.tsx";
import { useTokenCache } from "./token-queries.ts";

interface TokenAction<Input> {
  send: (api: AdminApi, input: Input) => Promise<Token>;
  /** What a message then says about the token as it is by then. */
  notice: (changed: Token) => string;
  onClose: () => void;
}

/**
 * Changes a token, once. Then the pages show it as it is now, a message says what was done, and the dialog closes. After a
 * failure that leaves open what was done, everything is loaded again.
 */
export const useTokenAction = <Input = void>({ send, notice, onClose }: TokenAction<Input>): Sending<Input, Token> => {
  const { notify } = useApp();
  const { update, reloadAfter } = useTokenCache();
  return useSending(send, {
    onDone: (changed) => {
      update(changed);
      notify(notice(changed));
      onClose();
    },
    onFailure: reloadAfter,
  });
};
