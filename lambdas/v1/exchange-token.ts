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
      "Exchanges the JWT of a workload for a token. The platform of the workload, such as GitHub Actions, GitLab, Kubernetes or AWS, signs the JWT, and an admin must trust its issuer and subject. The only audience of the JWT must be the base URL of this service, and its lifetime can be at most an hour. The fields are those of RFC 8693. Do not send `X-Token`. The token works only from the address that this call comes from, and expires after the time that the trust sets. A JWT can be exchanged once. If the response is lost, repeat the call with the same JWT from the same address: it returns the same token until the token is first used, for at most 15 minutes.",
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
