import { ApiFailure } from "../errors.ts";
import type { IssuedToken } from "../issued-token.ts";
import type { TokenCalls } from "../token-calls.ts";
import { type TokenFile, TokenFileError } from "./token-file.ts";

/**
 * Stores the token that `ask` returns in place of the known one, if any. Nobody may use the result before this has
 * resolved: until its first use, the service returns the same token to a repeated call, after a crash or from another
 * process. If another process has replaced the known token, its token is the result.
 *
 * A process never replaces a newer token, even if it is paused between two steps. It reserves a place before it sees the
 * known token in the file. A newer token is stored only after the successor was in the file, and the process that stores it
 * first withdraws all places that were reserved until then.
 */
export const replaceToken = async (
  file: TokenFile,
  known: IssuedToken | undefined,
  ask: () => Promise<IssuedToken>,
  revoke: TokenCalls["revoke"],
): Promise<IssuedToken> => {
  const byAnother = async (): Promise<IssuedToken | undefined> => {
    const stored = await file.read();
    if (stored === undefined && known !== undefined) {
      throw new TokenFileError(`${file.path} has been deleted, so there is no place for a new token.`);
    }
    return stored?.token === known?.token ? undefined : stored;
  };

  let issued: IssuedToken | undefined;
  try {
    for (;;) {
      const replaced = await byAnother();
      if (replaced) return replaced;
      const place = await file.reserve();
      try {
        issued = await ask();
        await place.fill(issued);
        const meanwhile = await byAnother();
        if (meanwhile) return meanwhile;
        if (await place.replace()) return issued;
      } finally {
        await place.release();
      }
    }
  } catch (error) {
    const stored = await file.read();
    if (stored && stored.token !== known?.token) return stored;
    // The old token has been revoked, so its successor must not go on working either.
    const isRevoked = stored === undefined || (error instanceof ApiFailure && error.code === "token_revoked");
    if (known && issued && isRevoked) await revoke(issued.token);
    throw error;
  }
};
