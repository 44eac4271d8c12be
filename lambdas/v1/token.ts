import * as z from "zod/mini";
import { time } from "../validation/fields.ts";

const ip = (description: string) => z.string().check(z.meta({ description, examples: ["198.51.100.7"] }));

/** A token as version 1 returns it to its holder. */
export const token = z
  .object({
    token_id: z.string().check(
      z.meta({
        description: "The public half of the token: safe to log and to quote.",
        examples: ["01KAK3Y0V9QX8M4N2R7T5W1Y0B"],
      }),
    ),
    ip: ip("The address that the token is bound to."),
    seen_ip: ip("The address from which the service saw this request come."),
    issued_at: time("When the token was issued."),
    expires_at: z
      .nullable(time("When the token expires."))
      .check(z.meta({ description: "When the token expires; null if it never does.", examples: [null] })),
  })
  .check(z.meta({ id: "Token", description: "An access token, without its secret." }));
