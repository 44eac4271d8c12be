import { type ErrorCode, errorCatalogue, errorGuide } from "../../lambdas/errors/catalogue.ts";

/** Errors as a Markdown table: status, code, cause, remedy. */
export const errorTable = (codes: readonly ErrorCode[]): string =>
  [
    "| Status | Code | Cause | What to do |",
    "|---|---|---|---|",
    ...codes.map(
      (code) =>
        `| ${errorCatalogue[code].status} | \`${code}\` | ${errorGuide[code].when} | ${errorGuide[code].solve} |`,
    ),
  ].join("\n");

/** The introduction of the description for its readers, as Markdown. */
export const introduction =
  (): string => `This API lets other systems integrate with the service. \`/api/documentation\` shows this description with a guide and with samples for each call. A good first call is \`GET /api/v1/token\`.

- **Token.** It is bound to one IP address and works only from there. Send it in the \`X-Token\` header. Any valid token may call any endpoint.
- **Getting a token.** An admin gives you a token or, better, an invitation, which your own machine exchanges for a token with \`POST /api/v1/token\`. Later, you can rotate the token, move it to another address and revoke it yourself. Calls that need an admin's confirmation return \`202\` with a code until they have it: tell the admin the code, and repeat the call.
- **Accept.** Every request must name \`application/json\` in its \`Accept\` header. Any other request, including one without the header or with \`*/*\`, is redirected to \`/api/documentation\`.
- **Bodies** of POST and PUT requests are form-encoded: \`name=value\` pairs joined by \`&\`, at most 16 KiB.
- **Paths.** Percent-encode a \`key_id\` in a path, once: \`a/b\` is \`/api/v1/key/a%2Fb\`. A \`key_id\` cannot contain \`%\` or \`?\` and cannot be \`.\` or \`..\`, because API Gateway, which receives all requests, decodes paths twice and cuts them off at a \`?\`. If your \`key_id\`s contain \`+\`, \`\\\`, \`;\`, several slashes in a row, a slash at the start or end, or segments of dots, repeat the path in the header \`X-Sent-Path\`, encoded as in the request line. If anything on the way changes the path, the service then responds with \`400\` \`path_changed\` and does nothing, instead of addressing another key.
- **Pages.** Without \`limit\`, a list has as many items as fit into one response. While there are more, the \`Link\` header has the address of the next page, with \`rel="next"\`.
- **Retries.** Every call can be repeated safely. After a \`429\` or a \`503\`, wait for the number of seconds in \`Retry-After\` first.
- **Connections.** Responses are sent with \`Connection: close\`, but a deployed service is behind API Gateway, which manages connections itself and reserves this header: you see HTTP/2, which has no such header, or HTTP/1.1 with \`Connection: keep-alive\`. Do not rely on either. Connections can be reused.
- **Conditional requests.** Responses with a key, and pages, have an \`ETag\`. Send it in \`If-None-Match\` to get a \`304\` if nothing has changed, and in \`If-Match\` to change a key only if nobody else has.
- **Compression.** Longer responses are compressed for clients that send \`Accept-Encoding: br\` or \`gzip\`.
- **Limits.** A token may be limited to a number of requests per minute. Each response then has the limit in \`RateLimit-Policy\` and the number of requests left in \`RateLimit\`.
- **Expiry.** From 30 days before a token expires, each response has the time in \`X-Token-Expires-At\`, and in \`X-Token-Rotation\` the call that replaces the token.
- **Versions.** The version is part of the path. A version that is going to be removed sends the headers \`Deprecation\` and \`Sunset\`.

Check the status of every response. A \`422\` lists the invalid fields, \`{"field": ["message"]}\`; every other error is \`{"code": "…", "message": "…"}\`.
`;
