interface SiteHeadersOptions {
  /** The origins that a page may call besides its own. */
  connectTo: readonly string[];
}

/**
 * What a browser is told with each page and file, besides the headers of every answer: to load nothing but this service's own
 * files, to call nothing but it and the login, to run no script that is not a file of it, and to show the page in no frame.
 */
export const siteHeaders = ({ connectTo }: SiteHeadersOptions): Record<string, string> => ({
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The icons in the style sheet of Swagger UI are data URLs.
    "img-src 'self' data:",
    `connect-src ${["'self'", ...connectTo].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; "),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
});
