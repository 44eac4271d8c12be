interface PolicyOptions {
  /** The origins that a page may call besides its own. */
  connectTo?: readonly string[];
}

/** To load nothing but this service's own files, and to run no script that is not one. */
export const contentSecurityPolicy = ({ connectTo = [] }: PolicyOptions = {}): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The icons in the style sheet of Swagger UI are data URLs.
    "img-src 'self' data:",
    `connect-src ${["'self'", ...connectTo].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

/** What a browser is told with each page and file, besides the headers of every answer. */
export const siteHeaders = {
  "Content-Security-Policy": contentSecurityPolicy(),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
};
