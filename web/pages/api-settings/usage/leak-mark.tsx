import StatusIndicator from "@cloudscape-design/components/status-indicator";
import type { Token } from "../../../api/token.ts";
import type { Leak } from "../../../api/usage.ts";
import { PageLink } from "../../../parts/page-link.tsx";
import { useNow } from "../../../parts/time.ts";
import { addresses } from "../../../shell/routing.ts";
import { standingOf } from "../token-standing.tsx";
import type { Leaks } from "./use-leaks.ts";

/** Those leaks that can still do harm: of tokens that have not ended. */
export const harmfulLeaks = (leaks: Leaks | undefined, tokens: Token[], now: number): [Token, Leak][] =>
  tokens.flatMap((token) => {
    const leak = leaks?.get(token.token_id);
    const standing = standingOf(token, now);
    return leak && (standing === "active" || standing === "rotated") ? [[token, leak]] : [];
  });

/** Marks a token whose right secret came from a wrong address. */
export const LeakMark = ({ token, leaks }: { token: Token; leaks: Leaks | undefined }) => {
  const [harmful] = harmfulLeaks(leaks, [token], useNow());
  if (!harmful) return null;
  return (
    <div>
      <StatusIndicator type="warning">
        <PageLink href={addresses.token(token.token_id)}>Wrong address</PageLink>
      </StatusIndicator>
    </div>
  );
};
