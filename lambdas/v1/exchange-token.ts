import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { createExchange } from "../domain/tokens/by-workload/exchange-jwt.ts";
import { getPublicJson } from "../domain/tokens/by-workload/get-public-json.ts";
import type { GetJson } from "../domain/tokens/by-workload/issuer-keys.ts";
import { exampleJwt, jwtLength } from "../domain/tokens/by-workload/read-jwt.ts";
import { text } from "../shared/validation/fields.ts";
import { issued, issuedResponse } from "./responses/token.ts";

/** A field with a value that RFC 8693 prescribes. */
const prescribed = (value: string, description: string) =>
  z.literal(value, { error: `must be ${value}.` }).check(z.meta({ description }));

const grantType = "urn:ietf:params:oauth:grant-type:token-exchange";
const jwtType = "urn:ietf:params:oauth:token-type:jwt";

/** Declares the endpoint. Each endpoint has its own cache of issuers' keys, which it loads with `getJson`. */
export const exchangeEndpoint = (getJson: GetJson) => {
  const exchange = createExchange(getJson);
  return endpoint({
    method: "POST",
    path: "/token/exchange",
    summary: "Exchange a JWT",
    description:
      "Returns a token for the JWT with which a platform such as GitHub Actions, GitLab, Kubernetes or AWS identifies a workload, if an admin trusts its issuer and subject. The audience of the JWT must be the base URL of this service, alone, and its life at most an hour. The fields are those of RFC 8693; `X-Token` is not needed. The token works only from the address that this call comes from, and ends after the time that the trust sets. A JWT makes one token: if the response is lost, repeat the call with the same JWT from the same address. It returns the same token until the token is first used, for at most 15 minutes.",
    credential: "workload",
    uses: { tokens: ["find", "trustsIssuer", "exchange", "noteIssuer"] },
    form: z.object({
      grant_type: prescribed(grantType, "The grant of RFC 8693."),
      subject_token_type: prescribed(jwtType, "The type of `subject_token`."),
      subject_token: text(jwtLength).check(
        z.meta({
          description: "The JWT of the workload. It is a secret for as long as it lasts.",
          contentMediaType: "application/jwt",
        }),
      ),
    }),
    errors: ["jwt_invalid", "jwt_refused", "ip_not_allowed", "jwt_used", "jwt_key_unknown", "issuer_unreachable"],
    responses: { 201: issued },
    example: { form: { grant_type: grantType, subject_token_type: jwtType, subject_token: exampleJwt } },
    async handler({ form, caller }, { tokens }, errors) {
      const exchanged = await exchange(form.subject_token, caller, tokens);
      if (exchanged.outcome === "refused") throw errors[exchanged.code](exchanged.options);
      const { token_id, trust_id = "" } = exchanged.token;
      return { ...issuedResponse(exchanged), facts: { token_id, trust_id } };
    },
  });
};

export const exchangeToken = exchangeEndpoint(getPublicJson);
