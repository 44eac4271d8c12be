type FieldMessages = Readonly<Record<string, readonly string[]>>;

interface Failure {
  status?: number;
  code?: string;
  message?: string;
  fields?: FieldMessages;
  cause?: unknown;
}

/** The codes of calls that were not sent because the browser was offline, and of calls that got no response. */
export const offline = "offline";
export const noResponse = "no_answer";

/** Why a call failed. The client of the admin API throws no other error. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  /** The HTTP status; 0 if there was no usable response. */
  readonly status: number;
  /** The error's code in the service's catalogue, or an empty string if it has none. */
  readonly code: string;
  /** The service's messages about each invalid field. */
  readonly fields: FieldMessages;

  constructor({ status = 0, code = "", message = "", fields = {}, cause }: Failure) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.fields = fields;
  }

  /** Whether the service may have carried out the request. */
  get isOutcomeUnknown(): boolean {
    return (this.status === 0 && this.code !== offline) || this.status >= 500;
  }

  /** Whether the page may be out of date. */
  get isPageOutdated(): boolean {
    return this.isOutcomeUnknown || this.status === 404 || this.status === 409;
  }

  /** Whether the service could not be reached. A retry may work once the browser is online. */
  get isUnreachable(): boolean {
    return this.code === offline || this.code === noResponse;
  }
}

/** Names of fields in the forms, where they differ from the service's. */
const subjects: Readonly<Record<string, string>> = {
  ip: "The IP address",
  rate_limit: "Requests per minute",
  expires_at: "The expiry",
  grace_seconds: "The grace period",
  token_id: "The token id",
  token_seconds: "The life of tokens",
  person: "The person",
  since: "The time",
  until: "The time",
};

/** Returns the service's messages about a field in the words of the forms, or an empty string if there are none. */
export const fieldError = (failure: ApiFailure | null, field: string): string =>
  failure?.fields[field]?.map((message) => inWordsOfForms(field, message)).join(" ") ?? "";

/** Replaces the beginning of a service message, which is always "The <field> ". */
const inWordsOfForms = (field: string, message: string): string => {
  const subject = subjects[field];
  const beginning = `The ${field} `;
  return subject && message.startsWith(beginning) ? `${subject} ${message.slice(beginning.length)}` : message;
};

/** Reads the failure from an unsuccessful response. */
export const readFailure = async (response: Response): Promise<ApiFailure> => {
  const { status } = response;
  const body: unknown = await response.json().catch(() => undefined);
  if (status === 422) return new ApiFailure({ status, message: "Correct the marked fields.", fields: fieldsOf(body) });
  // API Gateway's own message says only "Unauthorized".
  if (status === 401) {
    return new ApiFailure({ status, message: "The session had ended. Try again once you have signed in." });
  }
  const error = typeof body === "object" && body !== null ? body : {};
  return new ApiFailure({
    status,
    code: "code" in error ? String(error.code) : "",
    message: "message" in error ? String(error.message) : `The service responded with ${status}.`,
  });
};

const fieldsOf = (body: unknown): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(body ?? {}).map(([field, messages]) => [field, Array.isArray(messages) ? messages.map(String) : []]),
  );
