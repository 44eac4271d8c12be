import type { IssuedToken } from "../issued-token.ts";
import type { TokenFile } from "./token-file.ts";

/**
 * Stores the token that `ask` returns in place of the known one, if any. Nobody may use the result before this has
 * resolved: until its first use, the service returns the same token to a repeated call, after a crash or from another
 * process. If another process has replaced the known token, its token is the result.
 */
export const replaceToken = async (
  file: TokenFile,
  known: IssuedToken | undefined,
  ask: () => Promise<IssuedToken>,
): Promise<IssuedToken> => {
  const byAnother = async (): Promise<IssuedToken | undefined> => {
    const stored = await file.read();
    return stored?.token === known?.token ? undefined : stored;
  };

  const replaced = await byAnother();
  if (replaced) return replaced;
  const place = await file.reserve();
  try {
    const issued = await ask();
    const meanwhile = await byAnother();
    if (meanwhile) return meanwhile;
    await place.fill(issued);
    return issued;
  } catch (error) {
    const meanwhile = await byAnother();
    if (meanwhile) return meanwhile;
    throw error;
  } finally {
    await place.release();
  }
};
