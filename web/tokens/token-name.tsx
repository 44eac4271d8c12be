import type { Token, Trust } from "../api/types.ts";
import { Address, VisibleText } from "../parts/values.tsx";
import { visibleText } from "../parts/visible-characters.ts";

export type Named = Pick<Token, "comment" | "ip" | "token_id">;

/** A trusted workload, to be called by the same functions: by its comment, or else by its subject. */
export const asNamed = ({ trust_id, comment, subject }: Trust): Named => ({
  ...{ token_id: trust_id, comment: comment || subject, ip: null },
});

/** What to call a token in a label or a message: its comment, or else its address, or else its id. */
export const tokenName = (token: Named): string => visibleText(nameOf(token));

/** The same on a page. */
export const TokenName = ({ token }: { token: Named }) => <VisibleText text={nameOf(token)} />;

const nameOf = ({ comment, ip, token_id }: Named): string => comment || (ip ?? token_id);

/** A token in a sentence. */
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

/** The address that a token is bound to, if there is one yet. */
export const BoundAddress = ({ token: { ip } }: { token: Pick<Token, "ip"> }) =>
  ip === null ? <span className="remark">Not known yet</span> : <Address ip={ip} />;
