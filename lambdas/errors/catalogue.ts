export interface ErrorDeclaration {
  /** The HTTP status. */
  status: number;
  /** Response headers that every such error has. */
  headers?: Readonly<Record<string, string>>;
  message: string;
}

const challenge = { "WWW-Authenticate": 'X-Token realm="Integration API"' };

/**
 * Every error that the service answers, declared once: code, HTTP status, headers, message.
 *
 * A message is a sentence that says what to do; `{name}` is filled in when the error is raised. The documentation and the
 * admin function read this same table.
 */
export const errorCatalogue = {
  malformed_form: {
    status: 400,
    message:
      "The body is not a well-formed form. Send name=value pairs joined by &, at most 1000, percent-encoded as UTF-8.",
  },
  malformed_json: {
    status: 400,
    message: "The body is not a JSON object. Send one, in UTF-8.",
  },
  token_missing: {
    status: 401,
    headers: challenge,
    message: "Send your access token in one X-Token header.",
  },
  token_invalid: {
    status: 401,
    headers: challenge,
    message: "This token is not known. Check that it was copied whole, or ask an admin for a new one.",
  },
  token_expired: {
    status: 401,
    headers: challenge,
    message: "This token has expired. Ask an admin for a new one.",
  },
  token_revoked: {
    status: 401,
    headers: challenge,
    message: "This token was revoked. Ask an admin for a new one.",
  },
  sign_in_required: {
    status: 401,
    headers: { "WWW-Authenticate": "Bearer" },
    message: "Sign in, and send the access token of your session as Authorization: Bearer.",
  },
  ip_not_allowed: {
    status: 403,
    message:
      "This token does not belong to your address, {ip}. Call from its own address, or ask an admin for a token.",
  },
  group_required: {
    status: 403,
    message:
      "Your account is in neither of the groups Admin and Superuser. Ask whoever runs this service to add you to one.",
  },
  endpoint_not_found: {
    status: 404,
    message: "There is no such endpoint. See /api/documentation for those that there are.",
  },
  key_not_found: {
    status: 404,
    message: "There is no key with this key_id.",
  },
  token_not_found: {
    status: 404,
    message: "There is no token with this token_id.",
  },
  method_not_allowed: {
    status: 405,
    message: "This endpoint does not answer {method}. It answers {allow}.",
  },
  token_not_active: {
    status: 409,
    message: "Only an active token can be changed; this one is {state}. Issue a new one instead.",
  },
  token_already_rotated: {
    status: 409,
    message: "This token was rotated already. Rotate its successor, {successor_id}, instead.",
  },
  content_too_large: {
    status: 413,
    message: "The body is larger than 16 KiB. Send less.",
  },
  unsupported_media_type: {
    status: 415,
    message: "Send the body as application/x-www-form-urlencoded, in UTF-8.",
  },
  json_required: {
    status: 415,
    message: "Send the body as application/json, in UTF-8.",
  },
  validation_failed: {
    status: 422,
    message: "{problems}",
  },
  rate_limited: {
    status: 429,
    message:
      "This token has sent all the requests that it may send in a minute. Wait for as many seconds as Retry-After says.",
  },
  internal_error: {
    status: 500,
    message: "Something went wrong on our side. Try again, and if it persists report the X-Request-Id of this answer.",
  },
  unavailable: {
    status: 503,
    headers: { "Retry-After": "1" },
    message: "The service cannot reach its data at the moment. Try again shortly.",
  },
  documentation_missing: {
    status: 503,
    message:
      "The description of the API, api-docs.json, was not generated. Run npm run docs, then npx cdk deploy --all; a local run takes the new file up by itself.",
  },
} as const satisfies Record<string, ErrorDeclaration>;

export type ErrorCode = keyof typeof errorCatalogue;
