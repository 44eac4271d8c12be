import { isTrustId } from "../../../lambdas/domain/tokens/trust-id.ts";

const invocation = /^invoke:([^:]+)(?::(.*))?$/s;
const client = /^token:([^:]+)(?::(.+))?$/;

/** The author of a change: a user of this interface, an invocation of the admin function, or a client with its token. */
export type Author =
  | { type: "user"; name: string }
  /** With the invoker's name, if it gave one. */
  | { type: "invocation"; requestId: string; name: string | undefined }
  /** With the client's address, unless it is recorded elsewhere. */
  | { type: "client"; tokenId: string; ip: string | undefined };

/** Parses an author from the service's record. */
export const authorOf = (recorded: string): Author => {
  const [, requestId, name] = invocation.exec(recorded) ?? [];
  if (requestId !== undefined) return { type: "invocation", requestId, name: name || undefined };
  const [, tokenId, ip] = client.exec(recorded) ?? [];
  return tokenId === undefined ? { type: "user", name: recorded } : { type: "client", tokenId, ip };
};

/** Returns the title and link for a client or workload, to show before its name. */
export const titleOf = (tokenId: string): { title: string; link: string } =>
  isTrustId(tokenId) ? { title: "The workload", link: " " } : { title: "The client", link: " of " };
