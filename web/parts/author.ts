import { isTrustId } from "../../lambdas/resources/tokens/trust-id.ts";

const invocation = /^invoke:([^:]+)(?::(.*))?$/s;
const client = /^token:([^:]+)(?::(.+))?$/;

/** Who did something: a user of this interface, an invocation of the admin function, or a client with its token. */
export type Author =
  | { type: "user"; name: string }
  /** With the name that the invoker gave, if it gave one. */
  | { type: "invocation"; requestId: string; name: string | undefined }
  /** With the client's address, unless that is recorded elsewhere. */
  | { type: "client"; tokenId: string; ip: string | undefined };

/** Reads who did something from what the service has recorded. */
export const authorOf = (recorded: string): Author => {
  const [, requestId, name] = invocation.exec(recorded) ?? [];
  if (requestId !== undefined) return { type: "invocation", requestId, name: name || undefined };
  const [, tokenId, ip] = client.exec(recorded) ?? [];
  return tokenId === undefined ? { type: "user", name: recorded } : { type: "client", tokenId, ip };
};

/** What a client or a workload is called, before the name of its token or its own. */
export const titleOf = (tokenId: string): { title: string; link: string } =>
  isTrustId(tokenId) ? { title: "The workload", link: " " } : { title: "The client", link: " of " };
