import type { Token, Trust } from "../api/types.ts";
import { Address, VisibleText } from "../parts/values.tsx";
import { visibleText } from "../parts/visible-characters.ts";

export type Named = Pick<Token, "comment" | "client" | "ip" | "token_id">;

/** Adapts a trusted workload to the naming functions: it is named by its comment, or else by its subject. */
export const asNamed = ({ trust_id, comment, client, subject }: Trust): Named => ({
  token_id: trust_id,
  comment: comment || subject,
  client,
  ip: null,
});

/** Returns a token's name for a label or message: its comment, or else its address, or else its id. */
export const tokenName = (token: Named): string => visibleText(nameOf(token));

/** Shows a token's name on a page. */
export const TokenName = ({ token }: { token: Named }) => <VisibleText text={nameOf(token)} />;

const nameOf = ({ comment, ip, token_id }: Named): string => comment || (ip ?? token_id);

/** Mentions a token in a sentence. */
export const TokenMention = ({ token }: { token: Named }) => {
  const { comment, ip } = token;
  if (!comment) return <strong>{ip === null ? <TokenName token={token} /> : <Address ip={ip} />}</strong>;
  return (
    <>
      <strong>
        <VisibleText text={comment} />
      </strong>
      {ip !== null && (
        <>
          {" "}
          (<Address ip={ip} />)
        </>
      )}
    </>
  );
};

/** Shows the address that a token is bound to, if any. */
export const BoundAddress = ({ token: { ip } }: { token: Pick<Token, "ip"> }) =>
  ip === null ? <span className="remark">Not known yet</span> : <Address ip={ip} />;
