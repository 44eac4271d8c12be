import { endpoint } from "../declaration/endpoint.ts";
import { factsOf } from "../domain/tokens/authenticate.ts";
import { clientActor } from "../domain/tokens/by-client/client-changes.ts";
import { revokeToken as revoke } from "../domain/tokens/succession.ts";

export const revokeToken = endpoint({
  method: "DELETE",
  path: "/token",
  summary: "Revoke your token",
  description:
    "Ends this token at once. This call is accepted from any address, so whoever finds a token can end it, but cannot use it for anything else. A successor that is being made at that moment ends as well; an existing successor keeps working. A token that has expired stays as it is.",
  credential: "secret",
  uses: { tokens: ["revoke"] },
  responses: { 204: { description: "The token has ended." } },
  example: {},
  async handler({ caller: { token, ip, author } }, { tokens }) {
    await revoke(tokens, token, { by: clientActor(token, ip), author });
    return { status: 204, facts: factsOf(token, ip) };
  },
});
