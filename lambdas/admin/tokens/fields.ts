import * as z from "zod/mini";
import { limitRange } from "../../resources/limits/limit-store.ts";
import { canonicalIp } from "../../resources/tokens/ip-address.ts";
import { commentLength } from "../../resources/tokens/token-limits.ts";
import { text, wholeNumber, withoutControlCharacters } from "../../validation/fields.ts";
import { timestamp } from "../fields.ts";
import { whyNotBindable } from "./bindable-ip.ts";

/** Fields that several actions on tokens have. */
export const tokenId = z
  .ulid("must be the id of a token, 26 characters, and not the token itself.")
  .check(z.meta({ description: "The id of the token, which is not secret." }));

export const comment = text(commentLength).check(
  withoutControlCharacters,
  z.meta({ description: "What the token is for, and whose it is." }),
);

/** The address that a token is bound to. It becomes its canonical form. */
export const ip = z
  .pipe(
    z.string().check(({ value, issues }) => {
      const reason = whyNotBindable(value);
      if (reason !== undefined) issues.push({ code: "custom", input: value, message: `${reason}.` });
    }),
    z.transform((value) => canonicalIp(value) ?? z.NEVER),
  )
  .check(z.meta({ description: "An IPv4 or IPv6 address." }));

/** When a token expires: a time in the future, or null for never. */
export const expiresAt = z
  .nullable(timestamp.check(z.refine((value) => value > new Date().toISOString(), "must be in the future.")))
  .check(z.meta({ description: "When the token ends by itself; null for never." }));

/** How many requests a token may send per minute, or null for no limit. */
export const rateLimit = z
  .nullable(wholeNumber(limitRange))
  .check(z.meta({ description: "How many requests per minute it may send; null for no limit." }));
