import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether a request was sent by a web page: a browser names the page's origin, and a page that has bound its own name to
 * this machine's address is betrayed by the `Host`. What takes any credentials here must not be within a page's reach.
 */
export const isFromWebPage = ({ origin, host = "" }: IncomingHttpHeaders): boolean =>
  origin !== undefined || !/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);

export const webPageRefusal = "Requests from web pages are refused: use a program, and the address 127.0.0.1.";
