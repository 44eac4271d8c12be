import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { listen } from "./listen.ts";

/** Starts a user pool that signs any claims, so that a test can also present claims that Cognito would never sign. */
export const startTestUserPool = async () => {
  const alg = "RS256";
  const kid: string = randomUUID();
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const keys = [{ ...(await exportJWK(publicKey)), alg, kid, use: "sig" }];
  const server = createServer((request, response) => {
    const isKnown = request.url === "/.well-known/jwks.json";
    response.writeHead(isKnown ? 200 : 404).end(isKnown ? JSON.stringify({ keys }) : "");
  });
  const issuer = await listen(server);
  return {
    issuer,
    /** Signs a token with these claims. By default, the token names the issuer and expires in an hour. */
    sign: (claims: object, { kid: named = kid, alg: by = alg, privateKey: key = privateKey } = {}): Promise<string> => {
      const payload = { iss: issuer, exp: Math.floor(Date.now() / 1000) + 3600, ...claims };
      return new SignJWT(payload).setProtectedHeader({ alg: by, kid: named }).sign(key);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};
