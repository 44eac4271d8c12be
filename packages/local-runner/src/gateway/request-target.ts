/** Where a request goes: the path as functions see it, and the query string as the client sent it. */
export interface RequestTarget {
  path: string;
  rawQueryString: string;
}

/**
 * Reads a request target as API Gateway's HTTP APIs do: they decode the path, cut it off at a question mark, and decode it
 * again before they route it. Undefined if the path cannot be decoded, which is a 400. Observed; AWS documents none of this.
 *
 * @example readRequestTarget("/keys/a%252Fb%3Fc?d=%20") // { path: "/keys/a/b", rawQueryString: "d=%20" }
 */
export const readRequestTarget = (url: string): RequestTarget | undefined => {
  // A client that takes this for a proxy sends a whole address.
  const [sentPath = "", ...query] = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "").split("?");
  try {
    const [decodedOnce = ""] = decodeURIComponent(sentPath).split("?");
    const path = decodeURIComponent(decodedOnce);
    return { path: path === "" ? "/" : path, rawQueryString: query.join("?") };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
};
