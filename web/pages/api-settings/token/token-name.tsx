import type { Token } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";

/** What to call a token: its comment, or else its address. */
export const tokenName = ({ comment, ip }: Pick<Token, "comment" | "ip">): string => comment || ip;

/** A token in a sentence. */
export const TokenMention = ({ token: { comment, ip } }: { token: Token }) =>
  comment ? (
    <>
      <strong>{comment}</strong> (<Address ip={ip} />)
    </>
  ) : (
    <strong>
      <Address ip={ip} />
    </strong>
  );
