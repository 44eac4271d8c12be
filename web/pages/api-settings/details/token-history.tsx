import { addresses } from "../../../../lambdas/addresses.ts";
import { requestMinutes } from "../../../../lambdas/resources/tokens/token-limits.ts";
import type { PastChange, Token } from "../../../api/types.ts";
import { RecordHistory } from "../../../changes/record-history.tsx";
import { authorOf } from "../../../parts/author.ts";
import { PageLink } from "../../../parts/page-link.tsx";
import { useNow } from "../../../parts/time.ts";
import { withRecordedChanges } from "./recorded-changes.ts";

/** What happened to a token, newest first. */
export const TokenHistory = ({ token }: { token: Token }) => {
  const now = useNow();
  return (
    <RecordHistory
      record={{ token_id: token.token_id }}
      related={<PageLink href={addresses.historyOf({ person: token.token_id })}>What its client did</PageLink>}
      complete={(changes) => withRecordedChanges(token, changes)}
      noteOn={(change) =>
        isByFinder(token, change) ? (
          <div>This is not the address of the token: somebody else had its secret, and revoked it.</div>
        ) : (
          wasIgnored(token, change, now) && <div>Nobody decided within {requestMinutes} minutes.</div>
        )
      }
    />
  );
};

/** Anybody who has the secret can revoke the token, from any address. */
const isByFinder = ({ ip }: Token, { kind, by, from }: PastChange): boolean =>
  kind === "revoked" && authorOf(by).type === "client" && from !== null && from !== ip;

const wasIgnored = ({ request }: Token, { kind, details }: PastChange, now: number): boolean =>
  kind === "requested" &&
  request !== null &&
  request.code === details.code &&
  request.decision === null &&
  Date.parse(request.expires_at) <= now;
