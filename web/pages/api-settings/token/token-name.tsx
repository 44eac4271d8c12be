import type { Token } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { visibleText } from "../../../parts/visible-characters.ts";
import { VisibleText } from "../../../parts/visible-text.tsx";

/** What to call a token in a label or a message: its comment, or else its address. */
export const tokenName = ({ comment, ip }: Pick<Token, "comment" | "ip">): string => visibleText(comment) || ip;

/** The same on a page. */
export const TokenName = ({ token: { comment, ip } }: { token: Token }) => <VisibleText text={comment || ip} />;

/** A token in a sentence. */
export const TokenMention = ({ token: { comment, ip } }: { token: Token }) =>
  comment ? (
    <>
      <strong>
        <VisibleText text={comment} />
      </strong>{" "}
      (<Address ip={ip} />)
    </>
  ) : (
    <strong>
      <Address ip={ip} />
    </strong>
  );
