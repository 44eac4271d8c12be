import { type Limit, limited } from "./limit.ts";

/** Sends a request like the global `fetch`. */
export type Fetch = (request: Request, options: { signal: AbortSignal }) => Promise<Response>;

/** Sends a request and returns the complete response within a call's time limit. */
export type Send = (request: Request, limit: Limit) => Promise<Response>;

/** Reads the whole body, so that the time limit also covers it and a truncated response counts as lost. */
export const createTransport =
  (fetch: Fetch, timeoutMilliseconds: number): Send =>
  (request, limit) =>
    limited(timeoutMilliseconds, limit, async ({ signal }) => {
      const response = await fetch(request, { signal });
      if (response.body === null) return response;
      const body = await response.arrayBuffer();
      // In browsers, a 304 has a body too, but a response with this status can't be created with one.
      return new Response(body.byteLength === 0 ? null : body, response);
    });
