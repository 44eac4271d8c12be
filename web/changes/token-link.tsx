import { addresses } from "../../lambdas/addresses.ts";
import { PageLink } from "../parts/page-link.tsx";
import { VisibleText } from "../parts/visible-text.tsx";
import { useKnownToken } from "../tokens/token-queries.ts";

interface TokenLinkProps {
  tokenId: string;
  /** Shown in place of its name. */
  words?: string | undefined;
}

/** A link to a token by its comment, or by its id if it has none, or if that is not known. */
export const TokenLink = ({ tokenId, words }: TokenLinkProps) => {
  const token = useKnownToken(tokenId);
  return (
    <PageLink href={addresses.token(tokenId)}>
      {words ?? (token?.comment ? <VisibleText text={token.comment} /> : <code className="address">{tokenId}</code>)}
    </PageLink>
  );
};
