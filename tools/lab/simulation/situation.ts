import type { Item } from "cdk-local-runner/database";
import { exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { versionOf } from "../../../lambdas/dynamodb/versions.ts";
import { strongTag } from "../../../lambdas/shared/http/entity-tags.ts";
import type { Letter, Operation, Place, TokenReference } from "./schedule.ts";

/** The address of all clients, and an address that no token belongs to. */
export const clientAddress = "198.51.100.7";
export const otherAddress = "203.0.113.9";

/** The client that makes the final calls of a run. */
export const finalClient = -1;

export const addressOf = (place: Place): string => (place === "home" ? clientAddress : otherAddress);

export const vCodeOf = (letter: Letter): string => letter.repeat(64);

/** Returns the `ETag` of a stored key, or `undefined` if there is no key or only its tombstone. */
export const etagOf = (item: Item | undefined): string | undefined =>
  item?.v_code && strongTag(versionOf({ updated_at: item.updated_at?.S ?? "" }));

export interface TokenInHand {
  token_id: string;
  text: string;
  /** The address that the token is bound to. */
  ip: string;
  isInvitation: boolean;
}

/** The trusted workload. There is no token value for it. */
export const trustInHand: TokenInHand = { token_id: exampleTrust.token_id, text: "", ip: "", isInvitation: false };

/** A request for confirmation, as it was shown to a client. */
export interface RequestInSight {
  token_id: string;
  ip: string;
  code: string;
}

/** The state of the run that an invocation of a function needs. */
export interface Situation {
  tokenOf(reference: TokenReference): TokenInHand | undefined;
  /** Returns the request for confirmation in the response to an operation. */
  requestOf(operation: number): RequestInSight | undefined;
  /** Returns the query of the next page, from the response to an operation. */
  nextPageOf(operation: number): string | undefined;
  now(): number;
  /** When the schedule began, in Unix milliseconds. */
  start: number;
}

/** The outcome that a caller sees: a status, the error's code if there is one, and the body. */
export interface Answer {
  status: number;
  code?: string;
  headers: Record<string, unknown>;
  body: unknown;
}

/** A completed operation, from its call to its response, in moments of the chronicle and in Unix milliseconds. */
export interface Done {
  operation: Operation;
  /** The token that the call was made with or is about. */
  token: TokenInHand | undefined;
  /** The request for confirmation that the call decides. */
  request: RequestInSight | undefined;
  /** The `ETag` that a conditional change was sent with. */
  ifMatch: string | undefined;
  calledAt: number;
  calledTime: number;
  answeredAt: number;
  answeredTime: number;
  /** How far the clock of its environment was ahead. */
  clockOffset: number;
  /** Absent if the environment was killed. */
  answer?: Answer;
  /** Whether Lambda ended the function because it took too long. */
  isTimedOut: boolean;
}

/** Returns the result of a function. The admin function rejects an action by throwing, and the error's name is the code. */
export const answerOf = async (call: Promise<unknown>): Promise<Answer> => {
  try {
    const value = await call;
    if (!isResponse(value)) return { status: 200, headers: {}, body: value };
    const { statusCode, headers = {}, body } = value;
    const parsed: unknown = body === undefined || body === "" ? undefined : JSON.parse(body);
    const code = statusCode >= 400 ? codeIn(parsed) : undefined;
    return { status: statusCode, headers, body: parsed, ...(code !== undefined && { code }) };
  } catch (error) {
    const { name, message, status } = error as Error & { status?: number };
    return { status: status ?? 500, code: name, headers: {}, body: { message } };
  }
};

interface Response {
  statusCode: number;
  headers?: Record<string, unknown>;
  body?: string;
}

const isResponse = (value: unknown): value is Response =>
  typeof value === "object" && value !== null && "statusCode" in value;

const codeIn = (body: unknown): string =>
  typeof body === "object" && body !== null && "code" in body ? String(body.code) : "validation_failed";

/** Returns the token or the invitation whose value is in a response. */
export const tokenIn = (body: unknown): TokenInHand | undefined => {
  if (typeof body !== "object" || body === null || !("token_id" in body)) return undefined;
  const token_id = String(body.token_id);
  const ip = "ip" in body && typeof body.ip === "string" ? body.ip : clientAddress;
  if ("token" in body) return { token_id, text: String(body.token), ip, isInvitation: false };
  if ("invitation_text" in body) return { token_id, text: String(body.invitation_text), ip, isInvitation: true };
  return undefined;
};

/** Returns the request for confirmation in a response. */
export const requestIn = (body: unknown): Omit<RequestInSight, "token_id"> | undefined => {
  if (typeof body !== "object" || body === null || !("code" in body) || !("ip" in body)) return undefined;
  return { ip: String(body.ip), code: String(body.code) };
};
