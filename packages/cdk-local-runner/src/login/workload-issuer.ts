import { randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** The issuer's name, which no host on the internet can have. Functions find its address in `LOCAL_ISSUER`. */
const issuer = "https://issuer.localhost";

const lifeSeconds = 300;

/** Stands in for a platform that signs JWTs (OpenID Connect) for its workloads, such as GitHub Actions. */
export interface WorkloadIssuer {
  /**
   * Returns the response to a `GET` below the issuer's address, or `undefined` if there is none. `/token` returns a JWT for the
   * query's `subject` and `audience`, in GitHub Actions' format.
   */
  respond(path: string, query: URLSearchParams): Promise<object | undefined>;
}

/** @param now returns the functions' time (Unix milliseconds) */
export const createWorkloadIssuer = async (now: () => number): Promise<WorkloadIssuer> => {
  const [alg, kid] = ["ES256", randomUUID()];
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const keys = [{ ...(await exportJWK(publicKey)), alg, kid, use: "sig" }];

  const sign = (subject: string, audience: string): Promise<string> => {
    const seconds = Math.floor(now() / 1000);
    return new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg, kid })
      .setIssuer(issuer)
      .setSubject(subject)
      .setAudience(audience)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + lifeSeconds)
      .sign(privateKey);
  };

  return {
    async respond(path, query) {
      switch (path) {
        case "/.well-known/openid-configuration":
          return { issuer, jwks_uri: `${issuer}/jwks.json` };
        case "/jwks.json":
          return { keys };
        case "/token":
          return { value: await sign(query.get("subject") ?? "", query.get("audience") ?? "") };
        default:
          return undefined;
      }
    },
  };
};
