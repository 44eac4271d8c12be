import { endpoint } from "../declaration/endpoint.ts";
import { beganAt, expiringAt } from "../domain/tokens/life-cycle.ts";
import { token } from "./responses/token.ts";

export const getToken = endpoint({
  method: "GET",
  path: "/token",
  summary: "Describe your token",
  description:
    "Describes your token: its address, the address that this call came from, and when the token expires. This is a good first call.",
  uses: {},
  responses: {
    200: { description: "The token of this request.", body: token },
  },
  example: {},
  async handler({ caller }) {
    const { token_id, client = null, ip, expires_at = null } = caller.token;
    const issued_at = beganAt(caller.token);
    const expiring = expiringAt(caller.token, Date.now()) ?? null;
    return { status: 200, body: { token_id, ip, seen_ip: caller.ip, issued_at, expires_at, expiring, client } };
  },
});
