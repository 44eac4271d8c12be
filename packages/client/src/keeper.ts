import type { OnTokenExpiring } from "./expiry.ts";
import { callsWith, type IntegrationClient, type IntegrationClientOptions } from "./integration-client.ts";
import { keepToken, replaceToken } from "./kept-token.ts";
import { retrying } from "./retry.ts";
import { type Confirmation, createTokenCalls, type IssuedToken } from "./token-calls.ts";
import { TokenFileError, tokenFile } from "./token-file.ts";

export { TokenFileError } from "./token-file.ts";

export interface KeptClientOptions extends Omit<IntegrationClientOptions, "token"> {
  /** Where the token is kept. Its folder must exist, and nobody else may be able to write to it. */
  file: string;
  /** Redeemed if the file does not exist yet. */
  invitation?: string | undefined;
  /** Gets the code of an enrolment, or of a move if `mayMove` is set. Without it, calls that need a code fail. */
  onConfirmation?: (confirmation: Confirmation) => unknown;
  /** How often to ask whether an admin has confirmed. Default: every 5 seconds. */
  pollMilliseconds?: number;
  /**
   * Whether to ask to move when a call is refused because of its address. The call then waits for the confirmation,
   * unless its `signal` aborts. Default: false.
   */
  mayMove?: boolean;
  /** How long the old token keeps working after a rotation. Default: 86400, a day. */
  graceSeconds?: number;
  /**
   * The age at which a token is rotated that does not expire, or whose end an admin has brought forward; `Infinity` for
   * never. Default: 90.
   */
  maximumAgeDays?: number;
  /** Called once for each token and end when the token expires within 30 days and no successor that ends later was made. */
  onTokenExpiring?: OnTokenExpiring;
  /** Gets each new token, for example to log it: the object does not show its secret. */
  onReplaced?: (token: IssuedToken) => void;
  /** Gets the reason if a rotation or a move fails. The client keeps its token. Default: emits a process warning. */
  onProblem?: (error: unknown) => void;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** A call waits for the rotation that it starts, for at most this time. */
const longestRotation = 60_000;

/**
 * A client whose token is in a file. It redeems an invitation if there is no file, and rotates the token after a call when a
 * third of its lifetime is left. Processes may share the file. `rotate` and `move` store the successor, and `revoke` deletes
 * the file.
 *
 * @throws {TokenFileError} if the file cannot be trusted, or is missing and there is no invitation
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
  fetch = globalThis.fetch,
  file: path,
  invitation,
  onConfirmation = failWithoutCallback,
  pollMilliseconds,
  mayMove = false,
  graceSeconds = 86_400,
  maximumAgeDays = 90,
  onTokenExpiring = () => {},
  onReplaced = () => {},
  onProblem = (error) => process.emitWarning(error instanceof Error ? error : String(error)),
}: KeptClientOptions): Promise<IntegrationClient> => {
  const file = tokenFile(path);
  const calls = createTokenCalls({ baseUrl, fetch, retry });
  const confirmation = { onConfirmation, pollMilliseconds };

  const enrol = (): Promise<IssuedToken> => {
    if (invitation !== undefined) {
      return replaceToken(file, undefined, () => calls.redeem(invitation, confirmation), calls.revoke);
    }
    throw new TokenFileError(`There is no ${file.path}, and no invitation was given.`);
  };
  const token = keepToken((await file.read()) ?? (await enrol()), {
    file,
    fetch,
    isDue: ({ issued_at, expires_at }, time) => {
      const issued = Date.parse(issued_at);
      if (expires_at === null) return time >= issued + maximumAgeDays * dayMilliseconds;
      return time >= issued + (2 / 3) * (Date.parse(expires_at) - issued);
    },
    rotate: (text) => calls.rotate(text, { graceSeconds, signal: AbortSignal.timeout(longestRotation) }),
    revoke: calls.revoke,
    move: mayMove ? (text) => calls.move(text, confirmation) : undefined,
    onTokenExpiring,
    onReplaced,
    onProblem,
  });

  return {
    ...callsWith(baseUrl, retrying(token.send, retry), token.text),
    rotate: (options) => token.replace((text) => calls.rotate(text, options)),
    move: (options) => token.replace((text) => calls.move(text, options)),
    revoke: token.end,
  };
};

const failWithoutCallback = ({ ip, code }: Confirmation): never => {
  throw new TypeError(`An admin must confirm ${code} for ${ip}, but onConfirmation is not set.`);
};
