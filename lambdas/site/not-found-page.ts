import preferredMediaTypes from "negotiator/lib/mediaType.js";
import {
  type ApiEvent,
  type ApiResponse,
  type Middleware,
  type Request,
  refuseUnknown,
} from "../middlewares/request.ts";
import { addresses, documentationPath } from "../shared/addresses.ts";
import { ApiError } from "../shared/errors/api-error.ts";
import { siteHeaders } from "./site-headers.ts";

interface NotFoundPageOptions {
  /** The paths on which browsers get the page. Default: all. */
  appliesTo?: (path: string) => boolean;
  /** Returns the page of a part of the site, if that part has one. */
  replacementPage?: (event: ApiEvent) => Promise<ApiResponse | undefined>;
}

/**
 * Sends browsers a page on unknown paths. Clients that do not prefer HTML get the same status as JSON. The log line is the same in
 * both cases, because the error is unchanged.
 *
 * @example apiChain().use(notFoundPage({ appliesTo: (path) => !path.startsWith("/api/") }))
 */
export const notFoundPage = ({
  appliesTo = () => true,
  replacementPage = async () => undefined,
  ...unknown
}: NotFoundPageOptions = {}): Middleware => {
  refuseUnknown("notFoundPage", unknown);
  const sendPage = async (request: Request): Promise<void> => {
    const { error, event } = request;
    if (!(error instanceof ApiError) || error.code !== "endpoint_not_found") return;
    if (!["GET", "HEAD"].includes(event.requestContext.http.method) || !appliesTo(event.rawPath)) return;
    if (!prefersHtml(event.headers.accept)) return;
    const page = (await replacementPage(event)) ?? {
      headers: { "Content-Security-Policy": policy(), "Content-Type": "text/html; charset=utf-8" },
      body: htmlFor(event.rawPath),
    };
    request.response = {
      ...page,
      statusCode: error.status,
      headers: { ...siteHeaders, ...error.headers, ...page.headers },
    };
  };
  return { onError: sendPage };
};

/** Checks whether an `Accept` header prefers HTML to JSON. A wildcard alone does not. */
const prefersHtml = (accept = ""): boolean =>
  preferredMediaTypes(accept.toLowerCase(), ["application/json", "text/html"])[0] === "text/html";

/** Allows only the style that is in the page itself. */
const policy = (): string => {
  // Loaded on first use, because it would slow down cold starts and most callers of unknown paths are not browsers.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash("sha256").update(style).digest("base64");
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "img-src data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
};

const style = `
:root { color-scheme: light dark; background: light-dark(#ffffff, #161d26); color: light-dark(#0f141a, #ebebf0); }
body { margin: 0; font: 14px/20px "Open Sans", "Helvetica Neue", Roboto, Arial, sans-serif; }
main { padding: 1.5rem; }
h1 { font-size: 24px; line-height: 30px; }
a { color: light-dark(#006ce0, #42b4ff); }
`;

const htmlFor = (path: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Page not found</title>
    <link rel="icon" href="data:," />
    <style>${style}</style>
  </head>
  <body>
    <main>
      <h1>Page not found</h1>
      <p>There is no page at this address. It may be misspelled, or the link that led here may be out of date.</p>
      <p>${path.startsWith(documentationPath) ? `<a href="${documentationPath}">Go to the documentation</a>` : `<a href="${addresses.tokens}">Go to the start page</a>`}</p>
    </main>
  </body>
</html>
`;
