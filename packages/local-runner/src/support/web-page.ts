import type { IncomingHttpHeaders } from "node:http";

/** Whether the `Host` is not this machine's own name. A web page could have bound its name to this address (DNS rebinding). */
export const hasForeignHost = ({ host = "" }: IncomingHttpHeaders): boolean =>
  !/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);

/**
 * Whether a web page sent the request: browsers send the page's origin, and the `Host` reveals a page that bound its name to
 * this address. Whatever accepts any credentials must refuse web pages.
 */
export const isFromWebPage = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined || hasForeignHost(headers);

export const webPageRefusal = "Requests from web pages are refused: use a program, and the address 127.0.0.1.";
