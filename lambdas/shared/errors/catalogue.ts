import { documentationPath } from "../addresses.ts";

/**
 * Where an error can occur. Its documentation is derived from this:
 * - `accept`: any call that does not accept JSON;
 * - `every-endpoint`: any call of an endpoint;
 * - `every-form`, `every-json`: any call that sends a form or JSON; `every-body`: both;
 * - `x-token`: any call of an endpoint that takes a credential in `X-Token`;
 * - `token-check`: any call of an endpoint that takes a valid token, and endpoints that declare it;
 * - `validation`: where a field breaks a rule of its schema or of the handler;
 * - `declared`: only endpoints that declare it in their `errors`;
 * - `other-paths`: paths and methods that no endpoint has;
 * - `admin`: only the admin function; `site`: only pages that browsers load.
 */
type ErrorScope =
  | "accept"
  | "every-endpoint"
  | "every-form"
  | "every-json"
  | "every-body"
  | "x-token"
  | "token-check"
  | "validation"
  | "declared"
  | "other-paths"
  | "admin"
  | "site";

export interface ErrorDeclaration {
  /** The HTTP status. */
  status: number;
  /** Response headers that this error always has. */
  headers?: Readonly<Record<string, string>>;
  /** A sentence that says what to do. `{name}` is filled in when the error is created. */
  message: string;
}

/** The documentation of an error. Markdown. */
export interface ErrorGuide {
  scope: ErrorScope;
  /** The cause. */
  when: string;
  /** The remedy. */
  solve: string;
}

/** The errors of endpoints. Responses, the documentation and the endpoints' types are all derived from this table. */
export const errorCatalogue = {
  json_not_accepted: {
    // 307 for writes: see lambdas/middlewares/accept-json.ts.
    status: 302,
    headers: { Location: documentationPath },
    message: "Send the header Accept: application/json. Without it, the API only redirects to its documentation.",
  },
  path_changed: {
    status: 400,
    message:
      "The path that arrived differs from the one in the X-Sent-Path header, so nothing was done. Report this to the operator of the service: something on the way rewrites paths.",
  },
  malformed_form: {
    status: 400,
    message: "The body is not a valid form. Send at most 1000 name=value pairs joined by &, percent-encoded as UTF-8.",
  },
  json_instead_of_form: {
    status: 400,
    message: "The body is JSON, although its Content-Type is that of a form. Send name=value pairs joined by &.",
  },
  malformed_json: {
    status: 400,
    message: "The body must be a JSON object, encoded as UTF-8 and nested at most 16 levels deep.",
  },
  token_missing: {
    status: 401,
    message: "Send your access token in a single X-Token header.",
  },
  token_invalid: {
    status: 401,
    message:
      "This token is not valid. Send all of it and nothing else in X-Token, without Bearer or quotation marks, or ask an admin for a new one.",
  },
  wrong_credential: {
    status: 401,
    message: "This call needs {needed} in X-Token, and you sent {sent}: {advice}.",
  },
  token_expired: {
    status: 401,
    message: "This token has expired. Ask an admin for a new one.",
  },
  token_revoked: {
    status: 401,
    message: "This token has been revoked. Ask an admin for a new one.",
  },
  invitation_expired: {
    status: 401,
    message: "This invitation has expired. Ask an admin for a new one.",
  },
  invitation_revoked: {
    status: 401,
    message: "This invitation, or the token that it became, has been revoked. Ask an admin for a new invitation.",
  },
  invitation_used: {
    status: 401,
    message:
      "This invitation has already been used. If it was not you who used it, tell an admin at once: somebody else has your token.",
  },
  jwt_invalid: {
    status: 401,
    message:
      "No token is issued for this JWT: it is not complete, its signature is wrong, or no admin trusts its issuer. Send a new JWT of a trusted workload in subject_token.",
  },
  ip_not_allowed: {
    status: 403,
    message:
      "What you sent is bound to another IP address; your request came from {ip}. Call from the address that it was issued for, or ask an admin for a token for this one.",
  },
  request_rejected: {
    status: 403,
    message: "An admin has rejected your request to use this token from {ip}. Ask an admin why.",
  },
  jwt_refused: {
    status: 403,
    message: "The claim {claim} of this JWT {problem}.",
  },
  key_not_found: {
    status: 404,
    message: "There is no key with this key_id.",
  },
  token_already_rotated: {
    status: 409,
    message: "This token has already been rotated. Rotate or change its successor, {successor_id}, instead.",
  },
  jwt_used: {
    status: 409,
    message:
      "This JWT has been exchanged already, and its token is in use or was revoked, or 15 minutes have passed. Get a new JWT from the platform, and exchange that.",
  },
  move_not_needed: {
    status: 409,
    message:
      "This token already works from {ip}, where your request came from. Call from the new address to move it there.",
  },
  cursor_expired: {
    status: 410,
    message:
      "This cursor cannot be continued. Begin again without a cursor, and remove from your copy what you do not get again.",
  },
  precondition_failed: {
    status: 412,
    message:
      "The If-Match header does not match, so nothing was done: the record has changed since you read it, or the header is not an ETag as you received it, with its quotation marks. Read the record again, and decide whether to repeat the request with its new ETag.",
  },
  content_too_large: {
    status: 413,
    message: "The body is larger than {limit}. Send a smaller one.",
  },
  unsupported_media_type: {
    status: 415,
    message: "Send the body as {types}, encoded as UTF-8 and not compressed.",
  },
  validation_failed: {
    status: 422,
    message: "{problems}",
  },
  rate_limited: {
    status: 429,
    message:
      "This token has reached its limit of requests per minute. Wait for the number of seconds in the Retry-After header.",
  },
  too_many_requests: {
    status: 429,
    message:
      "Confirmation has been requested too often. Wait for the number of seconds in the Retry-After header, or ask an admin for a new token.",
  },
  jwt_key_unknown: {
    status: 429,
    message:
      "The key of this JWT is unknown, and its issuer was asked for its keys a short time ago. Send the same JWT again after the number of seconds in the Retry-After header.",
  },
  internal_error: {
    status: 500,
    message:
      "Something went wrong on our side. Try again; if the problem persists, report the X-Request-Id of this response.",
  },
  unavailable: {
    status: 503,
    headers: { "Retry-After": "1" },
    message: "The service cannot reach its database at the moment. Try again shortly.",
  },
  issuer_unreachable: {
    status: 503,
    headers: { "Retry-After": "2" },
    message: "The issuer of this JWT cannot be asked for its keys at the moment. Send the same JWT again shortly.",
  },
} as const satisfies Record<string, ErrorDeclaration>;

/** The errors that no endpoint returns. A separate table, so that esbuild can leave it out of endpoints. */
export const otherErrors = {
  sign_in_required: {
    status: 401,
    headers: { "WWW-Authenticate": "Bearer" },
    message: "Sign in, then send the access token of your session as Authorization: Bearer.",
  },
  group_required: {
    status: 403,
    message:
      "Your account is in neither the Admin nor the Superuser group. Ask an operator of this service to add it to one of them.",
  },
  endpoint_not_found: {
    status: 404,
    message:
      "There is no endpoint at this path. Paths are case-sensitive and have no slash at the end. See /api/documentation for the list of endpoints.",
  },
  token_not_found: {
    status: 404,
    message: "There is no token with this token_id.",
  },
  trust_not_found: {
    status: 404,
    message: "There is no trusted workload with this trust_id.",
  },
  method_not_allowed: {
    status: 405,
    message: "This endpoint does not support {method}. It supports {allow}.",
  },
  documentation_not_writable: {
    status: 405,
    message:
      "This is the documentation, which supports only {allow}. If you were redirected here, send your request again with the header Accept: application/json.",
  },
  token_not_active: {
    status: 409,
    message:
      "Only active tokens can be changed, and this one is {state}. Issue a new token, or invite the client again.",
  },
  trust_ended: {
    status: 409,
    message: "This workload is no longer trusted. Create the trust again.",
  },
  request_changed: {
    status: 409,
    message:
      "This request is no longer the current one, has expired, or has already been decided. Look at the token again, and compare the code with the client's operator.",
  },
  documentation_missing: {
    status: 503,
    message:
      "The API description, api-docs.json, has not been generated. Run npm run docs, then deploy again. A local run generates it when it starts.",
  },
} as const satisfies Record<string, ErrorDeclaration>;

export type ErrorCode = keyof typeof errorCatalogue;
export type OtherErrorCode = keyof typeof otherErrors;

/** The documentation of each error. Bundles of functions leave it out. */
export const errorGuide = {
  json_not_accepted: {
    scope: "accept",
    when: "The `Accept` header is missing or does not name `application/json`. The status is `302` for `GET` and `HEAD`, and `307` for all other methods.",
    solve: "Send `Accept: application/json` with every call. A wildcard such as `*/*` is not enough.",
  },
  path_changed: {
    scope: "every-endpoint",
    when: "The path was changed on its way, or the `X-Sent-Path` header is not the path of the request.",
    solve:
      "Send the path of the request in `X-Sent-Path`, percent-encoded exactly as in the request line. If it is, report it to the operator.",
  },
  malformed_form: {
    scope: "every-form",
    when: "The body contains a `%` that is not followed by two hexadecimal digits, bytes that are not UTF-8, or more than 1000 fields.",
    solve: "Let your HTTP library encode the form: `URLSearchParams` in JavaScript, `--data-urlencode` in curl.",
  },
  json_instead_of_form: {
    scope: "every-form",
    when: "The body is JSON, but the `Content-Type` is `application/x-www-form-urlencoded`, which curl sends with `-d` by default.",
    solve: "Send a form: `-d name=value` for each field with curl.",
  },
  malformed_json: {
    scope: "every-json",
    when: "The body is not a single JSON object encoded as UTF-8, or objects and lists in it are nested more than 16 levels deep.",
    solve: 'Send an object such as `{"ip": "198.51.100.7"}`, written by a JSON library.',
  },
  token_missing: {
    scope: "x-token",
    when: "The request has no `X-Token` header, or more than one.",
    solve: "Send the token in exactly one `X-Token` header.",
  },
  token_invalid: {
    scope: "x-token",
    when: "The token is mistyped, is not alone in `X-Token`, or this instance of the service did not issue it.",
    solve:
      "Copy the whole token again; it begins with `itk_`, and an invitation with `iti_`. If your token is lost, ask an admin for a new invitation.",
  },
  wrong_credential: {
    scope: "x-token",
    when: "An invitation (`iti_…`) or a JWT was sent where a token belongs, or a token where an invitation belongs.",
    solve:
      "Exchange an invitation for a token with `POST /token`, or a JWT with `POST /token/exchange`, once, and send the token with every other call.",
  },
  token_expired: {
    scope: "token-check",
    when: "The token has reached its expiry time, or the grace period after its rotation has ended.",
    solve: "If the token was rotated, use its successor. Otherwise ask an admin for a new token.",
  },
  token_revoked: {
    scope: "token-check",
    when: "An admin, its client or somebody who found it ended the token.",
    solve: "Ask an admin for a new token.",
  },
  invitation_expired: {
    scope: "declared",
    when: "The invitation was not used in time.",
    solve: "Ask an admin for a new one.",
  },
  invitation_revoked: {
    scope: "declared",
    when: "An admin revoked the invitation, or the token that it has become.",
    solve: "Ask an admin for a new one.",
  },
  invitation_used: {
    scope: "declared",
    when: "The invitation has become a token, and that token was used, belongs to another address, or is older than 15 minutes: the value of the token is not returned again.",
    solve:
      "Use the token. If you do not have it, somebody else does: ask an admin to revoke it, and for a new invitation.",
  },
  jwt_invalid: {
    scope: "declared",
    when: "The JWT is malformed or not signed by its issuer, or no admin trusts any workload of that issuer. The service does not say which.",
    solve:
      "Send the JWT of the platform as it is. If it is complete, ask an admin whether its `iss` is that of a trusted workload, letter by letter.",
  },
  sign_in_required: {
    scope: "admin",
    when: "The request has no session, or carries a token other than the session's access token.",
    solve: "Sign in to the web interface. Scripts should invoke the admin function instead.",
  },
  ip_not_allowed: {
    scope: "token-check",
    when: "The request came from another address than that of the token, the invitation or the trusted workload, or of the first exchange of a JWT.",
    solve:
      "The message names the address that the service saw: a NAT gateway, a proxy or IPv6 may have changed it. Each address needs its own token.",
  },
  request_rejected: {
    scope: "declared",
    when: "An admin has rejected your request to use the token from this address.",
    solve: "Ask the admin. After 24 hours, or from another address, the same call makes a new request.",
  },
  jwt_refused: {
    scope: "declared",
    when: "A claim of the JWT is not as it must be. The message names the claim, what it is and what is expected.",
    solve:
      "Ask the platform for a JWT with the base URL of this service as its only audience. If the subject is not trusted, ask an admin to trust exactly the one in the message.",
  },
  group_required: {
    scope: "admin",
    when: "The user is in neither group of admins.",
    solve:
      "Ask an operator to add the account to the group `Admin` or `Superuser` in the user pool, then sign in again.",
  },
  endpoint_not_found: {
    scope: "other-paths",
    when: "The path or the version does not exist. Paths are case-sensitive and have no slash at the end.",
    solve: "Look the path up in the documentation.",
  },
  key_not_found: {
    scope: "declared",
    when: "No key has this `key_id`. It was never created, or it has been deleted.",
    solve: "Check the `key_id`, and make sure that it is percent-encoded in the path.",
  },
  token_not_found: {
    scope: "admin",
    when: "No token has this `token_id`. Records are removed 90 days after a token ends.",
    solve: "Get the id from the list of tokens.",
  },
  trust_not_found: {
    scope: "admin",
    when: "No trusted workload has this `trust_id`. Records are removed 90 days after a trust ends.",
    solve: "Get the id from the list of trusted workloads.",
  },
  method_not_allowed: {
    scope: "other-paths",
    when: "The path exists but does not support this method.",
    solve: "Use one of the methods in the `Allow` header.",
  },
  documentation_not_writable: {
    scope: "other-paths",
    when: "A page of the documentation was requested with a method other than `GET` and `HEAD`, perhaps because the client followed a redirect.",
    solve: "Send `Accept: application/json`, so that the API does not redirect the request.",
  },
  token_not_active: {
    scope: "admin",
    when: "The request would have rotated or changed a token that has expired or been revoked, or that is still an invitation.",
    solve: "Issue a new token, or invite the client again. An invitation can be revoked, but not changed.",
  },
  token_already_rotated: {
    scope: "declared",
    when: "The request would have rotated a token that already has a successor, perhaps from an earlier request whose response was lost, or changed when such a token ends.",
    solve:
      "Rotate the successor; the response shows the value of the new token. The grace period decides when the old one ends; revoke it to end it earlier.",
  },
  trust_ended: {
    scope: "admin",
    when: "The request would have changed a trust that has ended.",
    solve: "Create a trust with the same issuer and subject. Tokens from before the end stay ended.",
  },
  jwt_used: {
    scope: "declared",
    when: "The JWT has already been exchanged, and its token is in use, or 15 minutes have passed.",
    solve: "Ask the platform for a new JWT. Keep a token for as long as it lasts.",
  },
  move_not_needed: {
    scope: "declared",
    when: "The call came from the address that the token already belongs to.",
    solve: "Send the call from the new address. The message names the one that the service saw.",
  },
  request_changed: {
    scope: "admin",
    when: "The client has called from another address meanwhile, its request is older than 15 minutes, or it was decided differently.",
    solve: "Read the token again. If its request has a new code, compare that one.",
  },
  cursor_expired: {
    scope: "declared",
    when: "The `cursor` of a page of changes is older than 30 days, belongs to other changes, or the service's data was restored from a backup.",
    solve:
      "Begin again without a cursor. The pages are then a copy of everything; once `more` is false, remove from yours what you did not get again.",
  },
  precondition_failed: {
    scope: "declared",
    when: "The record has changed since the client read it, or the `If-Match` header is malformed: the `ETag` is none of those in it.",
    solve: "Read the record again, and decide whether your change still applies. If so, send it with the new `ETag`.",
  },
  content_too_large: {
    scope: "every-body",
    when: "The body is larger than the endpoint allows, which is 16 KiB for a form.",
    solve: "Send only the fields that the endpoint documents.",
  },
  unsupported_media_type: {
    scope: "every-body",
    when: "The `Content-Type` header is missing or names another type than the endpoint takes, such as JSON where it takes a form. Or the body is compressed.",
    solve: "Send the body in the type that the message names. For a form, curl's `-d` does this by default.",
  },
  validation_failed: {
    scope: "validation",
    when: "One or more fields are invalid.",
    solve:
      "Read the body, which lists each invalid field with all its messages, up to 100. Over HTTP the body is that object alone, without `code` and `message`.",
  },
  rate_limited: {
    scope: "x-token",
    when: "The token has reached its limit of requests for this minute. The request was not carried out.",
    solve:
      "Wait for the number of seconds in `Retry-After`, then send the same request again. The `RateLimit` header of each response says how many are left: spread them out, or ask an admin for a higher limit. A `429` without a `code` means that the service as a whole is overloaded: wait a few seconds.",
  },
  too_many_requests: {
    scope: "declared",
    when: "Ten requests for confirmation, each with its own code, were made with this token or invitation within 24 hours. Somebody else may have it.",
    solve: "Ask an admin for a new invitation or token. The old one should be revoked.",
  },
  jwt_key_unknown: {
    scope: "declared",
    when: "The JWT names a key that its issuer did not publish when it was last asked. The service asks for the same key once a minute, and for others every few seconds.",
    solve:
      "Repeat the call after the number of seconds in `Retry-After`. If it persists, the JWT was not signed by its issuer, or the issuer publishes its keys late.",
  },
  internal_error: {
    scope: "every-endpoint",
    when: "An unexpected failure. The service's log has the cause under the same request id.",
    solve: "Try again. If the problem persists, report the `X-Request-Id` of the response.",
  },
  unavailable: {
    scope: "every-endpoint",
    when: "The database cannot be reached or is too busy. A change that you requested may or may not have been stored.",
    solve: "Wait for the number of seconds in `Retry-After`, then send the same request again: repeating it is safe.",
  },
  issuer_unreachable: {
    scope: "declared",
    when: "The keys of the issuer could not be loaded as OpenID Connect Discovery describes, so the signature cannot be checked.",
    solve:
      "Wait for the number of seconds in `Retry-After`, then repeat the call. If it persists, the operator finds the cause in the log.",
  },
  documentation_missing: {
    scope: "site",
    when: "The API description, `api-docs.json`, is missing from the deployed files.",
    solve: "Operators: run `npm run docs`, then deploy again. A local run generates it when it starts.",
  },
} as const satisfies Record<ErrorCode | OtherErrorCode, ErrorGuide>;

/** The errors that an endpoint can declare. */
export type EndpointErrorCode = {
  [Code in ErrorCode]: (typeof errorGuide)[Code]["scope"] extends "declared" | "token-check" ? Code : never;
}[ErrorCode];
