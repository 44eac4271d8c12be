import StatusIndicator from "@cloudscape-design/components/status-indicator";
import type { Token } from "../../../api/types.ts";
import { PageLink } from "../../../parts/page-link.tsx";
import { addresses } from "../../../parts/routes.ts";
import { useNow } from "../../../parts/time.ts";
import { harmfulLeaks, type Leaks } from "./use-leaks.ts";

/** Marks a token whose correct secret came from a wrong address. */
export const LeakMark = ({ token, leaks }: { token: Token; leaks: Leaks | undefined }) => {
  const [leak] = harmfulLeaks(leaks, [token], useNow());
  if (!leak) return null;
  return (
    <div>
      <StatusIndicator type="warning">
        <PageLink href={addresses.token(token.token_id)}>Wrong address</PageLink>
      </StatusIndicator>
    </div>
  );
};
