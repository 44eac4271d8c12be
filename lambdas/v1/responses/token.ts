import * as z from "zod/mini";
import type { ErrorConstructors } from "../../declaration/errors.ts";
import { endOfRequest } from "../../domain/tokens/address-request.ts";
import type { Issued, Refused, Requested } from "../../domain/tokens/by-client/client-changes.ts";
import { beganAt, rotationCall } from "../../domain/tokens/life-cycle.ts";
import { expiringDays } from "../../domain/tokens/token-limits.ts";
import type { ErrorCode } from "../../shared/errors/catalogue.ts";
import { time, wholeNumber } from "../../shared/validation/fields.ts";
import { secretFormat } from "../../shared/validation/response-body.ts";

const ip = (description: string) => z.string().check(z.meta({ description, examples: ["198.51.100.7"] }));

const tokenId = z.string().check(
  z.meta({
    description: "The public half of the token: safe to log and to quote.",
    examples: ["01KAK3Y0V9QX8M4N2R7T5W1Y0B"],
  }),
);

const expiresAt = z
  .nullable(time("When the token expires."))
  .check(z.meta({ description: "When the token expires; null if it never does.", examples: [null] }));

const expiring = z
  .nullable(
    z.object({
      days: wholeNumber({ min: 0, max: expiringDays }).check(
        z.meta({ description: "How many whole days are left.", examples: [12] }),
      ),
      rotation: z.nullable(z.string()).check(
        z.meta({
          description:
            "The call that replaces the token; null if it has a successor already, or if an admin has set this end for its successors, too.",
          examples: [rotationCall],
        }),
      ),
    }),
  )
  .check(
    z.meta({
      description: `Set if the token expires within ${expiringDays} days; otherwise null.`,
      examples: [null],
    }),
  );

/** A token as version 1 returns it to its holder. */
export const token = z
  .object({
    token_id: tokenId,
    ip: ip("The address that the token is bound to."),
    seen_ip: ip("The address from which the service saw this request come."),
    issued_at: time("When the token was issued."),
    expires_at: expiresAt,
    expiring,
    client: z.nullable(z.string()).check(
      z.meta({
        description: "The name of the client that the token belongs to; null if the token has no client.",
        examples: ["acme"],
      }),
    ),
  })
  .check(z.meta({ id: "Token", description: "An access token, without its secret." }));

const issuedFields = z.object({
  token_id: tokenId,
  ip: ip("The address that the token is bound to."),
  issued_at: time("When the token was issued."),
  expires_at: expiresAt,
  token: z.string().check(
    z.meta({
      description: "The value of the token, for the `X-Token` header. It is a secret.",
      format: secretFormat,
      examples: ["itk_01KAK3Y0V9QX8M4N2R7T5W1Y0B_0000000000000000000000000000000000000000000000000"],
    }),
  ),
});

/** A new token, with its value. */
const issuedToken = issuedFields.check(
  z.meta({ id: "IssuedToken", description: "A new access token, with its value." }),
);

/** A request that an admin has to confirm. */
const confirmationRequest = z
  .object({
    ip: ip("The address that the service saw."),
    code: z.string().check(
      z.meta({
        description: "The admin sees the same code. Compare the two, by telephone for example.",
        examples: ["K7P-4XQ"],
      }),
    ),
    expires_at: time("When the request ends. After that, the same call makes a new one with a new code."),
  })
  .check(
    z.meta({
      id: "ConfirmationRequest",
      description: "A request to use a token from an address, which an admin confirms.",
    }),
  );

/** The response with a new token. */
export const issued = { description: "The new token.", body: issuedToken } as const;

/** The response with the successor of a token. */
export const rotated = {
  description: "The successor.",
  body: z
    .extend(issuedFields, { old_token_expires_at: time("When the token that you sent stops working.") })

    .check(z.meta({ id: "RotatedToken", description: "The successor of a token, with its value." })),
} as const;

/** The response to a client whose address has to be confirmed. */
export const requested = {
  description: "An admin has to confirm the address. Tell the admin the code, then repeat the call every few seconds.",
  body: confirmationRequest,
} as const;

/** Returns the response to a client's change, or throws the error if the change was rejected. */
export const responseTo = <Code extends ErrorCode>(
  change: Issued | Requested | Refused<Code>,
  errors: Pick<ErrorConstructors<Code, unknown>, Code>,
) => {
  switch (change.outcome) {
    case "issued":
      return issuedResponse(change);
    case "requested":
      return requestedResponse(change);
    case "refused":
      throw errors[change.code](change.options);
  }
};

/** Returns the response with a new token and its value. */
export const issuedResponse = ({ token, value }: Issued) => ({
  status: 201 as const,
  body: {
    token_id: token.token_id,
    ip: token.ip,
    issued_at: beganAt(token),
    expires_at: token.expires_at ?? null,
    token: value,
  },
});

/** Returns the response with a request for confirmation. */
const requestedResponse = ({ request, isNew }: Requested) => ({
  status: 202 as const,
  body: { ip: request.ip, code: request.code, expires_at: endOfRequest(request) },
  ...(isNew && { facts: { confirmation: "requested" } }),
});
