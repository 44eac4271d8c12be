import type { Token } from "../../../api/types.ts";
import { statusOf } from "../token/token-status.ts";
import type { ListView } from "./list-view.ts";
import { comparators } from "./sort-tokens.ts";

interface ArrangeOptions {
  view: Omit<ListView, "page">;
  /** The ids of the tokens that need attention for the reason of the view, if it has one. */
  needing?: ReadonlySet<string> | undefined;
  now: number;
  /** How many tokens, from the first, are put in order before all others. */
  settledCount?: number;
}

/** The tokens that a view shows, in its order. */
export const arrange = (
  tokens: readonly Token[],
  { view, needing, now, settledCount = tokens.length }: ArrangeOptions,
): Token[] => {
  const { status, find, sort, isDescending } = view;
  const text = find.trim().toLowerCase();
  const isShown = (token: Token): boolean =>
    (needing === undefined || needing.has(token.token_id)) &&
    (status === undefined || statusOf(token, now) === status) &&
    (text === "" || matches(token, text));
  const sign = isDescending ? -1 : 1;
  const inOrder = (part: readonly Token[]): Token[] =>
    part.filter(isShown).sort((one, other) => sign * comparators[sort](one, other));
  return [...inOrder(tokens.slice(0, settledCount)), ...inOrder(tokens.slice(settledCount))];
};

/** The address and the code of a request, too: that is what a client's operator reads out. */
const matches = ({ comment, ip, issued_by, token_id, request }: Token, text: string): boolean =>
  [comment, ip ?? "", issued_by, token_id, request?.ip ?? "", request?.code ?? ""].some((field) =>
    field.toLowerCase().includes(text),
  );
