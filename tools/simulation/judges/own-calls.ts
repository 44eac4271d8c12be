import type { Run } from "../execute.ts";
import { addressOf, type Done, type TokenInHand, tokenIn } from "../situation.ts";

/** A call with which a client gets a token, or asks for one. */
export interface OwnCall {
  done: Done;
  /** The id of the invitation or of the old token, and which of the two was sent. */
  credential: string;
  isInvitation: boolean;
  ip: string;
  /** The token in the response. */
  given: TokenInHand | undefined;
}

/** The calls of clients for tokens of their own. */
export const ownCallsIn = ({ done }: Run): OwnCall[] =>
  done.flatMap((one) => {
    const { call } = one.operation;
    if ((call.kind !== "redeem" && call.kind !== "rotate own" && call.kind !== "move") || !one.token) return [];
    return [
      {
        done: one,
        credential: one.token.token_id,
        isInvitation: call.kind === "redeem",
        ip: addressOf(call.from),
        given: one.answer?.status === 201 ? tokenIn(one.answer.body) : undefined,
      },
    ];
  });

/** Whether a call got a token, or the promise of one. */
export const isTaken = ({ done: { answer } }: OwnCall): boolean => answer?.status === 201 || answer?.status === 202;

export const nameOf = ({ done: { operation } }: OwnCall): string => `#${operation.id} (${operation.call.kind})`;
