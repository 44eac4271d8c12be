/** Allows a page to load and run only this service's own files, and to connect only to this service and the given origins. */
export const contentSecurityPolicy = (...connectTo: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The pages' icons are data URLs.
    "img-src 'self' data:",
    `connect-src ${["'self'", ...connectTo].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

/** The headers of each page and file, besides those of every response. */
export const siteHeaders = {
  "Content-Security-Policy": contentSecurityPolicy(),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
};
