import * as z from "zod/mini";
import { action } from "../declaration/action.ts";
import { adminContract } from "./contract.ts";
import { ip } from "./tokens/token-fields.ts";

export const address = action({
  contract: adminContract.address,
  summary:
    "Checks whether a token can be bound to an address, and returns the address as it would be stored. Over HTTP it also returns the admin's own address, as the service sees it.",
  uses: {},
  input: z.strictObject({ ip: z.optional(ip) }),
  example: { ip: "198.51.100.7" },
  async run({ ip = null }, { sourceIp = null }) {
    return { ip, seen_ip: sourceIp };
  },
});
