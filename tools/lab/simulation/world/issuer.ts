import { createPrivateKey, sign } from "node:crypto";
import { exampleTrust } from "../../../../lambdas/domain/tokens/tokens-table.ts";
import { exampleAddress } from "../../../../lambdas/shared/addresses.ts";

const { issuer, subject } = exampleTrust;

/** The key of the example in RFC 8037, so that every run has the same JWTs. */
const publicKey = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
const privateKey = createPrivateKey({
  key: { ...publicKey, d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A" },
  format: "jwk",
});

const documents: Readonly<Record<string, object>> = {
  [`${issuer}/.well-known/openid-configuration`]: { issuer, jwks_uri: `${issuer}/keys` },
  [`${issuer}/keys`]: { keys: [{ ...publicKey, alg: "EdDSA" }] },
};

/** Gets a document of the issuer from memory. */
export const getFromIssuer = async (address: string): Promise<unknown> => documents[address];

/**
 * Returns the JWT with this number, signed when its schedule began (Unix milliseconds). In some schedules, it expires during the
 * run.
 */
export const jwtOf = (number: number, start: number): string => {
  const iat = Math.floor(start / 1_000);
  const times = { iat, exp: iat + 1_200 };
  const claims = { iss: issuer, sub: subject, aud: exampleAddress, jti: String(number), ...times };
  const parts = [{ alg: "EdDSA" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  return [...parts, sign(null, Buffer.from(parts.join(".")), privateKey).toString("base64url")].join(".");
};
