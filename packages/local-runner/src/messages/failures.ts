import * as z from "../support/zod.ts";

/** How the next requests to a service fail. */
export const failureSchema = z.strictObject({
  service: z.enum(["sns", "events"]),
  /**
   * `error`: nothing is sent, and the answer is an error of the service. `lost`: it is sent, and the connection breaks instead
   * of an answer. `entries`: the answer says that no entry was accepted (events only).
   */
  how: z.enum(["error", "lost", "entries"]),
  /** How many requests fail. An SDK repeats a failed request, and each repetition counts. */
  count: z.int().check(z.nonnegative()),
});

export type Failure = z.infer<typeof failureSchema>;

export type FailingService = Failure["service"];

/** Makes the next requests fail, to see what an application does then. */
export const createFailures = () => {
  const failures = new Map<FailingService, Failure>();
  return {
    /** Replaces what was set for the service before. */
    set: (failure: Failure): void => void failures.set(failure.service, failure),
    /** How the current request fails; undefined if it does not. */
    next(service: FailingService): Failure["how"] | undefined {
      const failure = failures.get(service);
      if (failure === undefined || failure.count === 0) return undefined;
      failure.count -= 1;
      return failure.how;
    },
  };
};

export type Failures = ReturnType<typeof createFailures>;
