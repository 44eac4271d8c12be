import { type ErrorCode, errorCatalogue } from "../../lambdas/errors/catalogue.ts";
import { apiErrorCodes, errorGuide } from "./error-guide.ts";

/** Errors as a Markdown table: code, status, when it happens, how to solve it. */
export const errorTable = (codes: readonly ErrorCode[]): string =>
  [
    "| Status | Code | When | What to do |",
    "|---|---|---|---|",
    ...codes.map(
      (code) =>
        `| ${errorCatalogue[code].status} | \`${code}\` | ${errorGuide[code].when} | ${errorGuide[code].solve} |`,
    ),
  ].join("\n");

/** What a reader needs to know before the first call. Markdown. */
export const introduction = (): string => `Lets other systems integrate with this service.

## A first call

\`\`\`
curl -H 'Accept: application/json' -H 'X-Token: itk_…' {base_url}/api/v1/token
\`\`\`

- **Token.** An admin issues it for one IP address; it works from that address alone. Send it in \`X-Token\`. Any valid token may call any endpoint.
- **Accept.** Every request must name \`application/json\` in its \`Accept\` header. One that does not (a missing header or \`*/*\` included) is redirected here.
- **Bodies** of POST and PUT are form-encoded: \`name=value\` joined by \`&\`, at most 16 KiB.
- **Pages.** A list answers one page. While there is more, the \`Link\` header has the address of the next one, with \`rel="next"\`.
- **Retries.** Every call can be repeated safely. After a \`503\` or a \`429\`, wait for as long as \`Retry-After\` says.
- **Limits.** A token may have a limit of requests per minute. \`RateLimit-Policy\` and \`RateLimit\` then say with each answer what it is and how many are left.
- **Versions.** The version stands in the path. One that is to go sends \`Deprecation\` and \`Sunset\`.

Check the status of every answer. A \`422\` has the invalid fields, \`{"field": ["message"]}\`; every other error is \`{"code": "…", "message": "…"}\`.

<details><summary>Every error, and what to do</summary>

${errorTable(apiErrorCodes)}

</details>
`;
