import ipaddr from "ipaddr.js";
import * as z from "zod/mini";
import { canonicalIp } from "../../domain/tokens/ip-address.ts";
import { clientLength, commentLength, limitRange } from "../../domain/tokens/token-limits.ts";
import { isTrustId } from "../../domain/tokens/trust-id.ts";
import { id as name, text, wholeNumber, withoutControlCharacters } from "../../shared/validation/fields.ts";
import { timestamp } from "../admin-fields.ts";

/** Fields that several token actions share. */
const id = z.ulid("must be the id of a token, 26 characters, and not the token itself.");

export const tokenId = id.check(
  z.refine((value) => !isTrustId(value), "must be the id of a token, not that of a trusted workload."),
  z.meta({ description: "The id of the token, which is not secret." }),
);

export const tokenOrTrustId = id.check(z.meta({ description: "The id of a token, or of a trusted workload." }));

export const comment = text(commentLength).check(
  withoutControlCharacters,
  z.meta({ description: "What the token is for, and whose it is." }),
);

/** The name of a client. Names are compared exactly, so `ACME` and `acme` are different clients. */
export const clientName = name(clientLength);

export const client = z
  .nullable(clientName)
  .check(
    z.meta({ description: "Whom it belongs to, such as a customer; null for nobody in particular. It never changes." }),
  );

/** Accepts only records of one client. */
export const ofClient = z
  .optional(clientName)
  .check(z.meta({ description: "Only those of this client. A page may then have fewer items." }));

/** The address that a token is bound to. Converts it to its canonical form. */
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

/** Maximum number of requests per minute that a token may send; null for no limit. */
export const rateLimit = z
  .nullable(wholeNumber(limitRange))
  .check(z.meta({ description: "How many requests per minute it may send; null for no limit." }));

const maxCharacters = 60;
const notAnAddress = "must be an IPv4 or IPv6 address, not a host name or anything else";

/** Returns why a token cannot be bound to `text`, as the end of a sentence; `undefined` if it can. */
export const whyNotBindable = (text: string): string | undefined => {
  if (text.length > maxCharacters) return notAnAddress;
  if (text.includes("/")) return "must be one address, not a CIDR range";
  if (text.includes("%")) return "must not have a zone id, which means nothing outside its own host";
  if (/^\[.*\](:\d+)?$|^[^:]*\.[^:]*:\d+$/.test(text)) return "must be only an address, without brackets or a port";
  if (/(^|[:.])0\d+\.|\.0\d+$/.test(text)) {
    return "must not have leading zeros: some programs read them as octal numbers";
  }
  const canonical = canonicalIp(text);
  if (canonical === undefined) return notAnAddress;
  return unusableRanges[ipaddr.parse(canonical).range()];
};

const unusableRanges: Partial<Record<string, string>> = {
  unspecified: "must not be an unspecified address: no client calls from it",
  multicast: "must not be a multicast address: no client calls from it",
  broadcast: "must not be the broadcast address: no client calls from it",
};
