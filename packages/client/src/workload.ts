import { ApiFailure, requireSuccess } from "./errors.ts";
import { callsWith, type IntegrationClient, type IntegrationClientOptions } from "./integration-client.ts";
import { refusalIn, unless, withToken } from "./own-token.ts";
import { createRequests } from "./requests.ts";
import { retrying, type Send } from "./retry.ts";
import { createTokenCalls, type IssuedToken, issuedTokenIn, repeating, serviceTime } from "./token-calls.ts";
import type { GetJwt } from "./workload-jwt.ts";

export { type GetJwt, githubActionsJwt, jwtFile, jwtVariable } from "./workload-jwt.ts";

export interface WorkloadClientOptions extends Omit<IntegrationClientOptions, "token" | "onTokenExpiring"> {
  /** Gets a JWT of the platform: `githubActionsJwt()`, `jwtFile(path)`, `jwtVariable(name)`, or a function of your own. */
  jwt: GetJwt;
  /** Gets the reason if the token cannot be renewed early. The client keeps its token. Default: a `console.warn`. */
  onProblem?: (error: unknown) => void;
}

/** A client that gets its tokens by itself. `revoke` ends the present one; another call would get a new one. */
export type WorkloadClient = Omit<IntegrationClient, "rotate" | "move">;

/** A token in memory, and when to renew it and when it ends, by `performance.now()`. */
interface Held extends Pick<IssuedToken, "token"> {
  renewAt: number;
  endsAt: number;
}

/** In place of a token until a request is sent. */
const unsent = "-";

/** What RFC 8693 prescribes. */
const jwtGrant = {
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
};

/** The platform has this time to return a JWT. */
const longestJwtMilliseconds = 60_000;

/** The refusals of a call that a new token may help against. */
const remediable = ["token_expired", "token_revoked", "token_invalid", "ip_not_allowed"];

/**
 * A client that exchanges the JWT of its platform for a token, which it keeps in memory. When a third of the token's lifetime is left,
 * or if it is refused, the client gets another JWT and another token, and makes a refused call once more.
 *
 * @example
 * const client = openWorkloadClient({ baseUrl: "https://integration.example.com", jwt: githubActionsJwt() });
 * await client.GET("/api/v1/key");
 */
export const openWorkloadClient = ({
  baseUrl,
  jwt,
  retry = {},
  fetch = globalThis.fetch,
  onProblem = (error) => console.warn("The token was not renewed:", error),
}: WorkloadClientOptions): WorkloadClient => {
  const requestFor = createRequests(baseUrl, () => unsent);
  const patient = repeating(fetch, retry);
  const hasty = repeating(fetch, { ...retry, attempts: 1 });
  let held: Held | undefined;
  let renewing: Promise<Held> | undefined;

  const exchange = async (send: Send): Promise<Held> => {
    const signal = AbortSignal.timeout(longestJwtMilliseconds);
    const subject_token = (await jwt({ audience: baseUrl.replace(/\/+$/, ""), signal })).trim();
    const request = requestFor("post", "/api/v1/token/exchange", { body: { ...jwtGrant, subject_token } });
    request.headers.delete("X-Token");
    const response = await send(request);
    await requireSuccess(response);
    const { token, issued_at, expires_at } = await issuedTokenIn(response);
    const end = Date.parse(expires_at ?? "9999-12-31T00:00:00Z");
    const endsAt = performance.now() + end - serviceTime(response);
    return { token, endsAt, renewAt: endsAt - (end - Date.parse(issued_at)) / 3 };
  };

  const exchangeUnused = (send: Send): Promise<Held> =>
    exchange(send).catch((error: unknown) => {
      if (error instanceof ApiFailure && error.code === "jwt_used") return exchange(send);
      throw error;
    });

  /** Gets a new token, one for all calls that need it. */
  const renew = (send: Send): Promise<Held> => {
    const renewed = async () => {
      try {
        held = await exchangeUnused(send);
        return held;
      } finally {
        renewing = undefined;
      }
    };
    renewing ??= renewed();
    return renewing;
  };

  /** The token for a call. As long as the old one works, it need not be renewed at the first attempt, nor does anybody wait. */
  const current = async (): Promise<Held> => {
    const now = performance.now();
    if (held === undefined || now >= held.endsAt) return renew(patient);
    const old = held;
    if (now < old.renewAt || renewing) return old;
    return renew(hasty).catch((error: unknown) => {
      old.renewAt = (performance.now() + old.endsAt) / 2;
      onProblem(error);
      return old;
    });
  };

  const send: Send = async (request) => {
    const again = request.clone();
    const { signal } = request;
    const used = await unless(signal, current());
    const response = await fetch(withToken(request, used));
    if (!remediable.includes((await refusalIn(response)) ?? "")) return response;
    await response.body?.cancel();
    return fetch(withToken(again, await unless(signal, held === used ? renew(patient) : current())));
  };

  return {
    ...callsWith(baseUrl, retrying(send, retry), () => unsent),
    async revoke(options) {
      if (held) await createTokenCalls({ baseUrl, fetch, retry }).revoke(held.token, options);
      held = undefined;
    },
  };
};
