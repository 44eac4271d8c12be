import { type ErrorCode, errorCatalogue } from "../../lambdas/errors/catalogue.ts";

interface ErrorGuide {
  /** Only who administers the service meets it. */
  for?: "admins";
  /** When it happens. */
  when: string;
  /** What the reader can do. */
  solve: string;
}

/** What the documentation says of each error, beside its code, status and message in the catalogue. */
export const errorGuide: Record<ErrorCode, ErrorGuide> = {
  malformed_form: {
    when: "The body has a `%` that begins no escape, bytes that are not UTF-8, or more than 1000 fields.",
    solve: "Let your HTTP library encode the form: `URLSearchParams` in JavaScript, `--data-urlencode` in curl.",
  },
  malformed_json: {
    for: "admins",
    when: "The body is not one JSON object in UTF-8.",
    solve: 'Send an object, such as `{"ip": "198.51.100.7"}`, as a JSON library writes it.',
  },
  token_missing: {
    when: "There is no `X-Token` header, or more than one.",
    solve: "Send the token in exactly one `X-Token` header.",
  },
  token_invalid: {
    when: "The token is mistyped, or this service never issued it. A token of another instance is not known here.",
    solve: "Copy the token again, whole: it begins with `itk_`. If it is lost, ask an admin to rotate it.",
  },
  token_expired: {
    when: "The token's time has come, or the grace after its rotation is over.",
    solve: "Use its successor if it was rotated; otherwise ask an admin for a new token.",
  },
  token_revoked: {
    when: "An admin ended the token.",
    solve: "Ask an admin for a new token.",
  },
  sign_in_required: {
    for: "admins",
    when: "The request came without a session, or with another token than the session's access token.",
    solve: "Sign in to the web interface. A script invokes the admin function instead.",
  },
  ip_not_allowed: {
    when: "The token is right, but the request came from another address than the one it was issued for.",
    solve:
      "Compare the address in the message with the one you asked a token for: a NAT gateway, a proxy or IPv6 may stand between. Each address needs a token of its own.",
  },
  group_required: {
    for: "admins",
    when: "Who is signed in has no right to administer this service.",
    solve:
      "Ask an operator to add the account to the group `Admin` or `Superuser` of the user pool, then sign in again.",
  },
  endpoint_not_found: {
    when: "The path or the version does not exist. Paths are case-sensitive and end without a slash.",
    solve: "Look the path up in the documentation.",
  },
  key_not_found: {
    when: "No key has this `key_id`: it was never created, or it was deleted.",
    solve: "Check the `key_id`; percent-encode it in the path.",
  },
  token_not_found: {
    for: "admins",
    when: "No token has this `token_id`. Records are removed 90 days after a token ended.",
    solve: "List the tokens and take the id from there.",
  },
  method_not_allowed: {
    when: "The path exists, but not for this method.",
    solve: "Use one of the methods in the `Allow` header.",
  },
  token_not_active: {
    for: "admins",
    when: "A token that has expired or was revoked was to be rotated, or to get another limit.",
    solve: "Issue a new token for the address.",
  },
  token_already_rotated: {
    for: "admins",
    when: "The token has a successor already, perhaps by a request whose answer was lost.",
    solve: "Rotate the successor, whose text is then shown.",
  },
  content_too_large: {
    when: "The body has more than 16 KiB.",
    solve: "Send only the fields that the endpoint documents.",
  },
  unsupported_media_type: {
    when: "The `Content-Type` of the body is missing or another than `application/x-www-form-urlencoded`, such as JSON.",
    solve: "Send a form: curl's `-d` does by itself.",
  },
  json_required: {
    for: "admins",
    when: "The `Content-Type` of the body is missing or another than `application/json`.",
    solve: "Send JSON, and say so in `Content-Type`.",
  },
  validation_failed: {
    when: "One or more fields break a rule.",
    solve:
      "Read the body: it has every invalid field with every message. Over HTTP it is that object alone, without `code` and `message`.",
  },
  rate_limited: {
    when: "The token has a limit of requests per minute, and this minute's are used up. Nothing was done.",
    solve:
      "Wait as many seconds as `Retry-After` says and send the same request again. `RateLimit` says with each answer how many are left: spread them, or ask an admin for a higher limit. A `429` without a `code` comes from API Gateway, when the service as a whole has too much to do: wait a few seconds.",
  },
  internal_error: {
    when: "Something unexpected broke. The cause is in the service's log, under the same request id.",
    solve: "Try again. If it persists, report the `X-Request-Id` of the answer.",
  },
  documentation_missing: {
    when: "The description of the API, `api-docs.json`, is not among the files that were deployed.",
    solve: "Operators: run `npm run docs`, then `npx cdk deploy --all`. A local run takes the new file up by itself.",
  },
  unavailable: {
    when: "The database is out of reach or too busy. Nothing was decided, and what you asked for may or may not be stored.",
    solve: "Wait as many seconds as `Retry-After` says and send the same request again: repeating is safe.",
  },
};

const codes = Object.keys(errorCatalogue) as ErrorCode[];

/** The errors that a client of the API can meet, in the order of the catalogue. */
export const apiErrorCodes = codes.filter((code) => errorGuide[code].for === undefined);

/** The errors that admins alone can meet. */
export const adminErrorCodes = codes.filter((code) => errorGuide[code].for === "admins");
