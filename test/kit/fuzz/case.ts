import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import type { Service } from "../../../lambdas/declaration/service.ts";
import type { IncomingRequest } from "../support/http-event.ts";

/*
 * A case is plain JSON, so that failed cases can be stored as files. Tokens and parts of tokens appear as placeholders such as
 * `<<active>>` or `<<active:id>>`, which each run replaces with its own tokens.
 */

export interface HttpCase extends IncomingRequest {
  kind: "http";
  /** The claims of the access token that the request carries. With a claim `forged`, the user pool has not signed the token. */
  claims?: Record<string, unknown>;
  /** Parts of the event that no gateway would produce. */
  tampered?: Record<string, unknown>;
}

/** An HTTP request, or an invocation of the admin function. */
export type Case = HttpCase | { kind: "invoke"; payload: unknown };

/** A part of every secret that a case invents, so that the log can be searched for it. */
export const secretMark = "hushhush";

/** Stands for a JWT that a trusted issuer has signed. */
export const jwtPlaceholder = "<<jwt>>";

/** The names of the tokens and invitations in the table. */
export const tokens = ["active", "elsewhere", "expired", "revoked", "rotated", "moving"] as const;
export const invitations = ["invited", "unaddressed", "waiting", "redeemed", "lapsed", "withdrawn"] as const;
export const names = [...tokens, ...invitations];

/** Returns the clients that only the examples of single endpoints name. Each has an active token. */
export const otherClientsOf = (service: Service): string[] => {
  const named = operationsOf(service).flatMap(({ endpoint }) => endpoint.example?.client ?? []);
  return [...new Set(named)].filter((client) => client !== service.exampleClient);
};

/** Returns the name of the token of one of these clients. */
export const otherClient = (index: number): string => `other${index}`;

export type Name = (typeof names)[number];
