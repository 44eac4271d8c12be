/**
 * Gets a JWT of the platform that the workload runs on: each time a new one, if the platform has one. The signal aborts when it takes
 * too long.
 */
export type GetJwt = (request: { audience: string; signal: AbortSignal }) => Promise<string>;

/** The JWT of a job in GitHub Actions, whose workflow must have the permission `id-token: write`. */
export const githubActionsJwt =
  (): GetJwt =>
  async ({ audience, signal }) => {
    const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = process.env;
    if (!address || !token) {
      throw new TypeError("GitHub gives this job no JWT. Add this to its workflow: permissions: id-token: write");
    }
    const url = new URL(address);
    url.searchParams.set("audience", audience);
    const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` }, signal });
    // The error of the parser would quote the text.
    const body: unknown = await response.json().catch(() => undefined);
    if (typeof body === "object" && body !== null && "value" in body) return String(body.value);
    throw new Error(`GitHub responded with ${response.status} and without a JWT.`);
  };

/** A JWT in a file, which is read each time, because the platform replaces it: a service account token of Kubernetes. */
export const jwtFile =
  (path: string): GetJwt =>
  async () => {
    const { readFile } = await import("node:fs/promises");
    return readFile(path, "utf8");
  };

/** A JWT in a variable of the environment: one of the `id_tokens` of GitLab. */
export const jwtVariable =
  (name: string): GetJwt =>
  async () => {
    const jwt = process.env[name];
    if (!jwt) throw new TypeError(`There is no JWT in the variable ${name}.`);
    return jwt;
  };
