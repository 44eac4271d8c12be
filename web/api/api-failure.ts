interface Failure {
  status?: number;
  code?: string;
  message?: string;
  fields?: Readonly<Record<string, readonly string[]>>;
  cause?: unknown;
}

/** Why a call failed, whatever the reason: the one error that the client of the admin door throws. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  /** The HTTP status; 0 if no answer came. */
  readonly status: number;
  /** The error's code in the service's catalogue; empty if it has none. */
  readonly code: string;
  /** What is wrong with each field, in the service's words. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor({ status = 0, code = "", message = "", fields = {}, cause }: Failure) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.fields = fields;
  }

  /** Whether the service may have done what it was asked to all the same. */
  get isOutcomeUnknown(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

/** A failure of whatever was thrown, so that every failure can be shown in the same way. */
export const toApiFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure
    ? error
    : new ApiFailure({ message: error instanceof Error ? error.message : String(error), cause: error });

/** The failure that an answer tells of. */
export const failureOf = async (response: Response): Promise<ApiFailure> => {
  const { status } = response;
  const body: unknown = await response.json().catch(() => undefined);
  if (status === 422) return new ApiFailure({ status, message: "Mend what is marked.", fields: fieldsOf(body) });
  const told = typeof body === "object" && body !== null ? body : {};
  return new ApiFailure({
    status,
    code: "code" in told ? String(told.code) : "",
    message: "message" in told ? String(told.message) : `The service answered ${status}.`,
  });
};

const fieldsOf = (body: unknown): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(body ?? {}).map(([field, messages]) => [field, Array.isArray(messages) ? messages.map(String) : []]),
  );
