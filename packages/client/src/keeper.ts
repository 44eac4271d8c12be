import { callsWith, type IntegrationClient, type IntegrationClientOptions } from "./integration-client.ts";
import { type KeepingOptions, keepToken, replaceToken } from "./kept-token.ts";
import { confirmationMilliseconds, defaultTimeoutMilliseconds, type Limit, limited } from "./limit.ts";
import { retrying } from "./retry.ts";
import { type Confirmation, createTokenCalls, type IssuedToken } from "./token-calls.ts";
import { TokenFileError, tokenFile } from "./token-file.ts";
import { createTransport } from "./transport.ts";

export { TokenFileError } from "./token-file.ts";

export interface KeptClientOptions extends Omit<IntegrationClientOptions, "token">, KeepingOptions {
  /** The file that keeps the token. Its folder must exist, and nobody else may have write access to the folder. */
  file: string;
  /** Redeemed if the file doesn't exist yet. */
  invitation?: string | undefined;
  /** Cancels opening the client, which may be waiting for a confirmation. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens a client that keeps its token in a file. If the file doesn't exist, the client redeems an invitation. After a call, it
 * rotates the token if only a third of the token's lifetime is left. Several processes may share the file. `rotate` and `move`
 * store the successor, and `revoke` deletes the file.
 *
 * @throws {TokenFileError} if the file can't be trusted, or if there is neither a file nor an invitation
 *
 * @example
 * const client = await openKeptClient({
 *   baseUrl: "https://integration.example.com",
 *   file: "/var/lib/my-program/token.json",
 *   invitation: process.env.INVITATION,
 *   onConfirmation: ({ ip, code }) => console.log(`Tell the admin: ${ip}, ${code}`),
 * });
 */
export const openKeptClient = async ({
  baseUrl,
  retry = {},
  timeoutMilliseconds = defaultTimeoutMilliseconds,
  fetch = globalThis.fetch,
  file: path,
  invitation,
  onConfirmation = failWithoutCallback,
  mayMove = false,
  graceSeconds = 86_400,
  maximumAgeDays = 90,
  onTokenExpiring = () => {},
  onReplaced = () => {},
  onProblem = (error) => process.emitWarning(error instanceof Error ? error : String(error)),
  signal,
}: KeptClientOptions): Promise<IntegrationClient> => {
  const file = tokenFile(path);
  const transport = createTransport(fetch, timeoutMilliseconds);
  const calls = createTokenCalls({ baseUrl, transport, retry, timeoutMilliseconds });
  const longest = timeoutMilliseconds + confirmationMilliseconds;

  const enrol = (limit: Limit): Promise<IssuedToken> => {
    if (invitation === undefined) throw new TokenFileError(`There is no ${file.path}, and no invitation was given.`);
    const redeem = () => calls.redeem(invitation, { onConfirmation, signal: limit.signal });
    return replaceToken(file, undefined, redeem, calls.revoke);
  };
  const first = await limited(longest, { signal }, async (limit) => (await file.read()) ?? enrol(limit));
  const sendRetrying = retrying(transport, retry);
  const callbacks = { onConfirmation, onTokenExpiring, onReplaced, onProblem };
  const settings = { timeoutMilliseconds, mayMove, graceSeconds, maximumAgeDays, ...callbacks };
  const { send, value, ...token } = keepToken(first, { file, calls, sendRetrying, ...settings });
  return {
    ...callsWith({ baseUrl, send, token: value, timeoutMilliseconds: mayMove ? longest : timeoutMilliseconds }),
    ...token,
  };
};

const failWithoutCallback = ({ ip, code }: Confirmation): never => {
  throw new TypeError(`An admin must confirm ${code} for ${ip}, but onConfirmation is not set.`);
};
