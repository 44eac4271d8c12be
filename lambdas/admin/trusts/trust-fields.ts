import * as z from "zod/mini";
import { isIssuer } from "../../domain/tokens/by-workload/public-hosts.ts";
import { issuerLength, subjectLength, trustedTokenSeconds } from "../../domain/tokens/token-limits.ts";
import { isTrustId } from "../../domain/tokens/trust-id.ts";
import { text, wholeNumber, withoutControlCharacters } from "../../shared/validation/fields.ts";
import { ip as address } from "../tokens/token-fields.ts";

/** Fields that several actions on trusted workloads share. */
export const trustId = z
  .ulid("must be the id of a trusted workload, 26 characters.")
  .check(
    z.refine(isTrustId, "must be the id of a trusted workload, which begins with zeros."),
    z.meta({ description: "The id of the trusted workload." }),
  );

/** Issuers must match exactly, so any other spelling of an issuer's address would never match. */
export const issuer = text(issuerLength).check(
  z.refine(
    isIssuer,
    "must be the iss of the workload's JWT, letter by letter: an https address of a public host, in lower case, without a query or the port 443.",
  ),
  z.meta({ description: "The platform that signs the workload's JWT, exactly as in its claim iss." }),
);

export const subject = text(subjectLength).check(
  withoutControlCharacters,
  z.refine((value) => !value.includes("*"), "must be one exact subject: there are no wildcards."),
  z.meta({ description: "The workload, exactly as in the claim sub of its JWT." }),
);

export const tokenSeconds = wholeNumber(trustedTokenSeconds).check(
  z.meta({ description: "How long its tokens live." }),
);

export const ip = z
  .nullable(address)
  .check(z.meta({ description: "The only address that the workload may call from; null for any." }));
