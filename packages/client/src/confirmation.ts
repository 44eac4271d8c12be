import type { components } from "./api-types.ts";
import { ApiFailure, parseBody, requestIdOf, requireSuccess, unknownResponse } from "./errors.ts";
import { type RetryOptions, retryAfterMilliseconds, type Send, sleep } from "./retry.ts";

/** What an admin has to confirm. Show the address and the code to somebody who can pass them on to an admin. */
export type Confirmation = components["schemas"]["ConfirmationRequest"];

export interface ConfirmationOptions {
  /** Called for each new code. */
  onConfirmation: (confirmation: Confirmation) => unknown;
  /** How often to ask whether an admin has confirmed. Default: every 5 seconds, or longer if `Retry-After` says so. */
  pollMilliseconds?: number | undefined;
}

/**
 * Makes a call, repeats it until an admin has confirmed it, and returns the response.
 *
 * @throws {ApiFailure} for a refusal, and with the code `not_confirmed` if the request has ended
 */
export const confirmed = async (
  send: Send,
  request: Request,
  { onConfirmation, pollMilliseconds = 5_000 }: ConfirmationOptions,
  wait: NonNullable<RetryOptions["wait"]> = sleep,
): Promise<Response> => {
  let told: string | undefined;
  for (;;) {
    const response = await send(request);
    await requireSuccess(response);
    if (response.status !== 202) return response;

    const confirmation = confirmationIn(response, parseBody(response, await response.text()));
    const { ip, code, expires_at } = confirmation;
    if (code !== told) await onConfirmation(confirmation);
    told = code;

    const waitMilliseconds = Math.max(pollMilliseconds, retryAfterMilliseconds(response.headers.get("retry-after")));
    if (waitMilliseconds >= Date.parse(expires_at) - serviceTime(response)) {
      const message = `No admin confirmed the code ${code} for ${ip} in time. Repeat the call for a new code.`;
      throw new ApiFailure({ code: "not_confirmed", status: 202, message, requestId: requestIdOf(response) });
    }
    await wait(waitMilliseconds, request.signal);
  }
};

/** The time of a response by the service's clock, because this machine's may be wrong. Some browsers hide that time. */
export const serviceTime = ({ headers }: Response): number => Date.parse(headers.get("date") ?? "") || Date.now();

const confirmationIn = (response: Response, body: unknown): Confirmation => {
  const { ip, code, expires_at }: Partial<Record<keyof Confirmation, unknown>> = { ...(body as object | null) };
  if (typeof ip === "string" && typeof code === "string" && typeof expires_at === "string" && Date.parse(expires_at)) {
    return { ip, code, expires_at };
  }
  throw unknownResponse(response, "it does not say what to confirm");
};
