import { endpoint } from "../declaration/endpoint.ts";
import { factsOf } from "../resources/tokens/authenticate.ts";
import { clientActor } from "../resources/tokens/by-client/client-changes.ts";

export const revokeToken = endpoint({
  method: "DELETE",
  path: "/token",
  summary: "Revoke your token",
  description:
    "Ends this token at once. It works from any address: whoever finds a token can end it, and do nothing else with it. A token that has expired stays as it is.",
  credential: "secret",
  uses: { tokens: ["revoke"] },
  responses: { 204: { description: "The token has ended." } },
  example: {},
  async handler({ caller: { token, ip, author } }, { tokens }) {
    const by = { revoked_at: new Date().toISOString(), revoked_by: clientActor(token, ip) };
    await tokens.revoke(token.token_id, by, author);
    return { status: 204, facts: factsOf(token, ip) };
  },
});
