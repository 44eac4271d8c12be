import * as z from "zod/mini";
import { action } from "../declaration/action.ts";
import { ip } from "./tokens/fields.ts";

export const address = action({
  route: "GET /address",
  summary:
    "Tells whether a token can be bound to an address, and how that address is written. Through the HTTP door also the admin's own address, as the service sees it.",
  uses: {},
  input: z.strictObject({ ip: z.optional(ip) }),
  async run({ ip = null }, { sourceIp = null }) {
    return { ip, seen_ip: sourceIp };
  },
});
