import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";

const time = z.iso.datetime({ precision: 3 });

const token = z
  .object({
    token_id: z.string().check(z.meta({ description: "The public half of the token: safe to log and to quote." })),
    ip: z.string().check(z.meta({ description: "The address that the token is bound to." })),
    seen_ip: z.string().check(z.meta({ description: "The address that the service saw this request come from." })),
    issued_at: time.check(z.meta({ description: "When the token was issued." })),
    expires_at: z
      .nullable(time)
      .check(z.meta({ description: "When the token ends; null if it does not end by itself." })),
  })
  .check(
    z.meta({
      id: "Token",
      example: {
        token_id: "01JD6ZK3V9QX8M4N2R7T5W1Y0B",
        ip: "198.51.100.7",
        seen_ip: "198.51.100.7",
        issued_at: "2026-11-21T10:15:30.123Z",
        expires_at: null,
      },
    }),
  );

export const getToken = endpoint({
  method: "GET",
  path: "/token",
  summary: "Who am I?",
  description:
    "Answers what the service knows of the token that the request came with: a first call to try a new token.",
  uses: {},
  responses: {
    200: { description: "The token of this request.", body: token },
  },
  async handler({ caller }) {
    const { token_id, ip, issued_at, expires_at = null } = caller.token;
    return { status: 200, body: { token_id, ip, seen_ip: caller.ip, issued_at, expires_at } };
  },
});
