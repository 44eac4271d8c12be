import type { IncomingHttpHeaders } from "node:http";

/** Whether a request came by another name than this machine's own, as that of a page that has bound its name to it does. */
export const hasForeignHost = ({ host = "" }: IncomingHttpHeaders): boolean =>
  !/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);

/**
 * Whether a request was sent by a web page: a browser names the page's origin, and a page that has bound its own name to
 * this machine's address is betrayed by the `Host`. What takes any credentials here must not be within a page's reach.
 */
export const isFromWebPage = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined || hasForeignHost(headers);

export const webPageRefusal = "Requests from web pages are refused: use a program, and the address 127.0.0.1.";
