import { parseBody, requireSuccess } from "./errors.ts";
import { createMemory } from "./memory.ts";
import type { Send } from "./retry.ts";
import type { Versions } from "./versions.ts";

export interface Read {
  data: unknown;
  /** The `Link` header. */
  link: string | null;
}

/** Makes `GET` calls. The service sends a body again only if it has changed since the last read. */
export const createReads = (send: Send, versions: Versions): ((request: Request) => Promise<Read>) => {
  const memory = createMemory();

  return async (request) => {
    const remembered = memory.recall(request.url);
    if (remembered) request.headers.set("If-None-Match", remembered.etag);
    const response = await send(request);
    const link = response.headers.get("link");
    if (remembered && response.status === 304) {
      const data: unknown = JSON.parse(new TextDecoder().decode(remembered.body));
      versions.note(data, remembered.etag);
      return { data, link: link ?? remembered.link };
    }
    await requireSuccess(response);
    const body = new Uint8Array(await response.arrayBuffer());
    const data = parseBody(response, new TextDecoder().decode(body));
    const etag = response.headers.get("etag");
    versions.note(data, etag);
    if (etag === null) memory.forget(request.url);
    else memory.remember(request.url, { etag, body, link });
    return { data, link };
  };
};
