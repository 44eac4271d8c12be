import { type ErrorCode, errorCatalogue, errorGuide } from "../../lambdas/errors/catalogue.ts";
import { apiErrorCodes } from "./error-codes.ts";

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

/** What a reader needs to know before making the first call, as Markdown. */
export const introduction = (): string => `This API lets other systems integrate with the service.

## A first call

\`\`\`
curl -H 'Accept: application/json' -H 'X-Token: itk_…' {base_url}/api/v1/token
\`\`\`

- **Token.** An admin issues it for one IP address, and it works only from that address. Send it in the \`X-Token\` header. Any valid token may call any endpoint.
- **Accept.** Every request must name \`application/json\` in its \`Accept\` header. Any other request, including one without the header or with \`*/*\`, is redirected to this page.
- **Bodies** of POST and PUT requests are form-encoded: \`name=value\` pairs joined by \`&\`, at most 16 KiB.
- **Pages.** A list is returned one page at a time. As long as there is another page, the \`Link\` header has its address, with \`rel="next"\`.
- **Retries.** Every call can be repeated safely. After a \`429\` or a \`503\`, wait for the number of seconds in \`Retry-After\` first.
- **Limits.** A token may be limited to a number of requests per minute. Each response then has the limit in \`RateLimit-Policy\` and the number of requests left in \`RateLimit\`.
- **Versions.** The version is part of the path. A version that is going to be removed sends the headers \`Deprecation\` and \`Sunset\`.

Check the status of every response. A \`422\` lists the invalid fields, \`{"field": ["message"]}\`; every other error is \`{"code": "…", "message": "…"}\`.

<details><summary>All errors and what to do about them</summary>

${errorTable(apiErrorCodes)}

</details>
`;
