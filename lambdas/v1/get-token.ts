import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { time } from "../declaration/fields.ts";

const ip = (description: string) => z.string().check(z.meta({ description, examples: ["198.51.100.7"] }));

const token = z
  .object({
    token_id: z.string().check(
      z.meta({
        description: "The public half of the token: safe to log and to quote.",
        examples: ["01KAK3Y0V9QX8M4N2R7T5W1Y0B"],
      }),
    ),
    ip: ip("The address that the token is bound to."),
    seen_ip: ip("The address that the service saw this request come from."),
    issued_at: time("When the token was issued."),
    expires_at: z
      .nullable(time("When the token ends."))
      .check(z.meta({ description: "When the token ends; null if it does not end by itself.", examples: [null] })),
  })
  .check(z.meta({ id: "Token", description: "An access token, without its secret." }));

export const getToken = endpoint({
  method: "GET",
  path: "/token",
  summary: "Who am I?",
  description:
    "Answers what the service knows of the token that the request came with. A good first call: it shows that a new token works, from which address, and how long.",
  uses: {},
  responses: {
    200: { description: "The token of this request.", body: token },
  },
  async handler({ caller }) {
    const { token_id, ip, issued_at, expires_at = null } = caller.token;
    return { status: 200, body: { token_id, ip, seen_ip: caller.ip, issued_at, expires_at } };
  },
});
