import { ApiFailure, refusalIn } from "./errors.ts";
import { callsWith, type IntegrationClient, type IntegrationClientOptions } from "./integration-client.ts";
import { defaultTimeoutMilliseconds, isTimeout, type Limit, limited } from "./limit.ts";
import { createRequests, withToken } from "./requests.ts";
import { retrying, serviceTime } from "./retry.ts";
import { createTokenCalls, type IssuedToken, issuedTokenIn } from "./token-calls.ts";
import { createTransport, type Send } from "./transport.ts";

/** Gets a JWT from the platform, preferably a new one each time. The signal aborts when the exchange has timed out. */
export type GetJwt = (request: { audience: string; signal: AbortSignal }) => Promise<string>;

export interface WorkloadClientOptions extends Omit<IntegrationClientOptions, "token" | "onTokenExpiring"> {
  /** Gets a JWT from the platform: `githubActionsJwt()`, `jwtFile(path)`, `jwtVariable(name)`, or your own function. */
  jwt: GetJwt;
}

/** A client that gets its tokens automatically. `revoke` revokes the current token. A later call would get another one. */
export type WorkloadClient = Omit<IntegrationClient, "rotate" | "move">;

/** A token in memory, with its renewal and end times on the clock of `performance.now()`. */
interface Held extends Pick<IssuedToken, "token"> {
  renewAt: number;
  endsAt: number;
}

/** The parameters that RFC 8693 requires. */
const jwtGrant = {
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
};

/** The errors that a new token may resolve. */
const remediable = ["token_expired", "token_revoked", "token_invalid", "ip_not_allowed"];

/**
 * Opens a client that exchanges its platform's JWT for a token and keeps the token in memory. When a third of the token's lifetime
 * is left, or when the token is rejected, the client gets a new JWT and a new token. It repeats a rejected call once.
 *
 * @example
 * const client = openWorkloadClient({ baseUrl: "https://integration.example.com", jwt: githubActionsJwt() });
 * await client.GET("/api/v1/token");
 */
export const openWorkloadClient = ({
  baseUrl,
  jwt,
  retry = {},
  timeoutMilliseconds = defaultTimeoutMilliseconds,
  fetch = globalThis.fetch,
}: WorkloadClientOptions): WorkloadClient => {
  // A placeholder until a request is sent.
  const noToken = () => "-";
  const requestFor = createRequests(baseUrl, noToken);
  const transport = createTransport(fetch, timeoutMilliseconds);
  const calls = createTokenCalls({ baseUrl, transport, retry, timeoutMilliseconds });
  const patient = retrying(transport, retry, true);
  const sendRetrying = retrying(transport, retry);
  const hasty = retrying(transport, { ...retry, attempts: 1 }, true);
  let held: Held | undefined;
  let renewing: Promise<Held> | undefined;

  const exchange = async (send: Send, limit: Limit): Promise<Held> => {
    const { signal } = limit;
    const subject_token = (await jwt({ audience: baseUrl.replace(/\/+$/, ""), signal })).trim();
    const request = requestFor("POST", "/api/v1/token/exchange", { form: { ...jwtGrant, subject_token } });
    request.headers.delete("X-Token");
    const response = await send(request, limit);
    const { token, issued_at, expires_at } = await issuedTokenIn(response);
    // The service never issues a workload a token that doesn't expire.
    const end = Date.parse(expires_at ?? issued_at);
    const endsAt = performance.now() + end - serviceTime(response);
    held = { token, endsAt, renewAt: endsAt - (end - Date.parse(issued_at)) / 3 };
    return held;
  };

  const exchangeAgainIfUsed = (send: Send) => (limit: Limit) =>
    exchange(send, limit).catch((error: unknown) => {
      if (error instanceof ApiFailure && error.code === "jwt_used") return exchange(send, limit);
      throw error;
    });

  /** Gets one new token for all calls that need it, so no single call's end cancels it. */
  const renew = (send: Send, limit: Limit): Promise<Held> => {
    const joined = renewing?.catch((error: unknown) => {
      // An earlier call started the renewal, which has timed out. This call has more time.
      if (!isTimeout(error) || limit.signal.aborted) throw error;
      return renew(send, limit);
    });
    if (joined !== undefined) return joined;
    renewing = limited(timeoutMilliseconds, {}, exchangeAgainIfUsed(send)).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  const current = async (limit: Limit): Promise<Held> => {
    const [now, old] = [performance.now(), held];
    if (old === undefined || now >= old.endsAt) return renew(patient, limit);
    if (now < old.renewAt) return old;
    // A failure isn't urgent, because the old token still works. The next attempt is due after half of its remaining time.
    old.renewAt = (now + old.endsAt) / 2;
    // The renewal also leaves enough time for the call.
    const patience = Math.min(limit.endsAt - now, old.endsAt - now) / 2;
    return limited(patience, limit, () => renew(hasty, limit)).catch(() => old);
  };

  const send: Send = async (request, limit) => {
    const again = request.clone();
    const used = await current(limit);
    const response = await sendRetrying(withToken(request, used), limit);
    if (!remediable.includes((await refusalIn(response)) ?? "")) return response;
    return sendRetrying(withToken(again, await (held === used ? renew(patient, limit) : current(limit))), limit);
  };

  return {
    ...callsWith({ baseUrl, send, token: noToken, timeoutMilliseconds }),
    async revoke(options) {
      if (held) await calls.revoke(held.token, options);
      held = undefined;
    },
  };
};

/** Gets the JWT of a GitHub Actions job. Its workflow needs the permission `id-token: write`. */
export const githubActionsJwt = (): GetJwt => async (request) => {
  const advice = "Give the job permission to get JWTs, in its workflow: permissions: id-token: write";
  const url = new URL(variable("ACTIONS_ID_TOKEN_REQUEST_URL", advice));
  url.searchParams.set("audience", request.audience);
  const headers = { Authorization: `Bearer ${variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN", advice)}` };
  const response = await fetch(url, { headers, signal: request.signal, redirect: "manual" });
  // The parser's error would quote the text.
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body === "object" && body !== null && "value" in body) return String(body.value);
  throw new Error(`GitHub responded with ${response.status} and without a JWT.`);
};

/**
 * Reads a JWT from a file, such as a Kubernetes service account token. The file is read each time, because the platform replaces
 * it.
 */
export const jwtFile = (path: string): GetJwt => {
  // An import would keep bundlers from bundling this module for browsers.
  return async () => process.getBuiltinModule("node:fs/promises").readFile(path, "utf8");
};

/** Reads a JWT from an environment variable, such as one of GitLab's `id_tokens`. */
export const jwtVariable = (name: string): GetJwt => {
  return async () => variable(name, "The platform puts the JWT there.");
};

const variable = (name: string, advice: string): string => {
  const value = process.env[name];
  if (value) return value;
  throw new TypeError(`The variable ${name} is not set. ${advice}`);
};
