import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { addresses } from "../../../../lambdas/addresses.ts";
import type { Token } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { PageLink } from "../../../parts/page-link.tsx";
import { useNow } from "../../../parts/time.ts";
import { harmfulLeaks, type Leaks, latestFirst } from "../attention/warned-leaks.ts";

/** Marks a token whose correct secret came from a wrong address, and names the last one. The alert above names all. */
export const LeakMark = ({ token, leaks }: { token: Token; leaks: Leaks | undefined }) => {
  const [found] = harmfulLeaks(leaks, [token], useNow());
  if (!found) return null;
  const [last, ...others] = latestFirst(found[1]);
  return (
    <div>
      <StatusIndicator type="warning">
        <span className="whole-words">
          <PageLink href={addresses.token(token.token_id)}>Wrong address</PageLink>
        </span>
      </StatusIndicator>
      {last && (
        <div className="remark">
          <Address ip={last.source_ip} /> (<Moment time={last.last_at} />)
          {others.length > 0 && ` and ${others.length} more`}
        </div>
      )}
    </div>
  );
};
