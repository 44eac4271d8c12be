/*
 * A case is plain JSON, so that one that failed can be kept as a file. A token or a part of one stands in it as a
 * placeholder, `<<active>>` or `<<active:id>>`, which each run fills in with tokens of its own.
 */

/** A request as API Gateway hands it to a function (payload format 2.0); the path is decoded already. */
export interface HttpCase {
  kind: "http";
  method: string;
  path: string;
  query: string;
  headers: Record<string, string>;
  body?: string;
  isBase64Encoded?: boolean;
  sourceIp?: string | null;
  /** What the JWT authorizer found, on the routes that have one. */
  claims?: Record<string, unknown>;
  /** Parts of the event that no gateway would make so. */
  tampered?: Record<string, unknown>;
}

/** An invocation of the admin function. */
export interface InvokeCase {
  kind: "invoke";
  payload: unknown;
}

export type Case = HttpCase | InvokeCase;

/** Stands in every secret that a case makes up, so that it can be looked for in the log. */
export const secretMark = "hushhush";

/** The tokens that stand in the table, by the name of their placeholder. */
export const tokenNames = ["active", "elsewhere", "expired", "revoked", "rotated", "limited"] as const;

/** What a placeholder may name of a token: its whole text, its id, or a text that is wrong. */
export const tokenParts = ["", ":id", ":forged", ":mistyped"] as const;
