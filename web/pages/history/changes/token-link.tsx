import { PageLink } from "../../../parts/page-link.tsx";
import { addresses } from "../../../parts/routes.ts";
import { TokenName } from "../../api-settings/token/token-name.tsx";
import { useKnownToken } from "../../api-settings/token/token-queries.ts";

interface TokenLinkProps {
  tokenId: string;
  /** Shown in place of its name. */
  words?: string | undefined;
}

/** A link to a token by its name, or by its id while the name is not known. */
export const TokenLink = ({ tokenId, words }: TokenLinkProps) => {
  const token = useKnownToken(tokenId);
  return (
    <PageLink href={addresses.token(tokenId)}>
      {words ?? (token ? <TokenName token={token} /> : <code className="address">{tokenId}</code>)}
    </PageLink>
  );
};
