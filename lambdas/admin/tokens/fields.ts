import * as z from "zod/mini";
import { canonicalIp } from "../../resources/tokens/ip-address.ts";
import { text, wholeNumber, withoutControlCharacters } from "../../validation/fields.ts";
import { whyNotBindable } from "./bindable-ip.ts";

/** The fields that the actions on tokens share. */
export const tokenId = z.ulid("must be the id of a token, 26 characters, and not the token itself.");

export const comment = z._default(text({ min: 0, max: 255 }).check(withoutControlCharacters), "");

/** The address that a token is bound to; becomes its canonical form. */
export const ip = z.pipe(
  z.string().check(({ value, issues }) => {
    const reason = whyNotBindable(value);
    if (reason !== undefined) issues.push({ code: "custom", input: value, message: `${reason}.` });
  }),
  z.transform((value) => canonicalIp(value) ?? z.NEVER),
);

/** An instant, RFC 3339 with any offset; becomes UTC with milliseconds, which compare as text. */
const timestamp = z.pipe(
  z.iso.datetime({ offset: true, error: "must be a time such as 2027-01-01T00:00:00Z." }),
  z.transform((value) => new Date(value).toISOString()),
);

/** When a token ends: in the future, or null if it is not to end by itself. */
export const expiresAt = z.nullable(
  timestamp.check(z.refine((value) => value > new Date().toISOString(), "must be in the future.")),
);

/** How many requests a token may send in a minute, or null if that is not to be limited. */
export const rateLimit = z.nullable(wholeNumber({ min: 1, max: 100_000 }));
