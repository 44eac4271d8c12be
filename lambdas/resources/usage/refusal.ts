import * as z from "zod/mini";

/** No declared route is longer. */
export const maxRouteLength = 300;

/** A call that was refused although it came with a token's correct secret. */
export const refusal = z.object({
  /** RFC 3339, UTC, with milliseconds. */
  time: z.string(),
  /** The error's code in the catalogue. */
  code: z.string(),
  status: z.number(),
  /** The address that the service saw. */
  source_ip: z.string(),
  route: z.string(),
  /** The address was not the token's: the secret may be in the wrong hands. */
  leak: z.boolean(),
});

export type Refusal = z.output<typeof refusal>;
