import { endpoint } from "../declaration/endpoint.ts";
import { factsOf } from "../domain/tokens/authenticate.ts";
import { clientActor } from "../domain/tokens/by-client/client-changes.ts";
import { revokeToken as revoke } from "../domain/tokens/succession.ts";

export const revokeToken = endpoint({
  method: "DELETE",
  path: "/token",
  summary: "Revoke your token",
  description:
    "Revokes this token at once. The call works from any address, so anyone who finds a token can revoke it, but cannot use it for anything else. A successor keeps working, unless it is being created at that moment. For an expired token, the call succeeds without any effect.",
  credential: "secret",
  uses: { tokens: ["revoke"] },
  responses: { 204: { description: "The token no longer works." } },
  example: {},
  async handler({ caller: { token, ip, author } }, { tokens }) {
    await revoke(tokens, token, { by: clientActor(token, ip), author });
    return { status: 204, facts: factsOf(token, ip) };
  },
});
