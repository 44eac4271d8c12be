import type { ReactNode } from "react";
import type { Token } from "../../api/token.ts";
import { Actor } from "../../parts/actor.tsx";
import { ExactMoment } from "../../parts/moment.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { useNow } from "../../parts/time.ts";
import { addresses } from "../../shell/routing.ts";
import { describeRateLimit } from "./rate-limit.ts";
import { standingOf } from "./token-standing.tsx";

interface HistoryEvent {
  name: string;
  time: string;
  by?: string | null;
  note?: ReactNode;
}

/** What happened to a token, the newest first, and what is to come. */
export const TokenHistory = ({ token }: { token: Token }) => {
  const standing = standingOf(token, useNow());
  const events = [...eventsOf(token), ...endOf(token, standing)].toSorted((one, other) =>
    other.time.localeCompare(one.time),
  );
  return (
    <ol className="history">
      {events.map(({ name, time, by, note }) => (
        <li key={name} className={`event-${name.toLowerCase().replace(" ", "-")}`}>
          <strong>{name}</strong>
          {by && (
            <>
              {" "}
              by <Actor name={by} />
            </>
          )}
          {note && <div>{note}</div>}
          <ExactMoment time={time} />
        </li>
      ))}
    </ol>
  );
};

const eventsOf = (token: Token): HistoryEvent[] => {
  const { issued_at, issued_by, predecessor_id, rotated_at, rotated_by, successor_id, revoked_at, revoked_by } = token;
  const { updated_at, updated_by, rate_limit } = token;
  const limitNote = rate_limit === null ? "Lifted." : `Now: ${describeRateLimit(rate_limit)}.`;
  const successor = predecessor_id && <>In place of {linkTo(predecessor_id, "the token before it")}.</>;
  const replaced = successor_id && <>Replaced by {linkTo(successor_id, "its successor")}.</>;
  return [
    { name: "Issued", time: issued_at, by: issued_by, note: successor },
    ...(updated_at === null ? [] : [{ name: "Limit changed", time: updated_at, by: updated_by, note: limitNote }]),
    ...(rotated_at === null ? [] : [{ name: "Rotated", time: rotated_at, by: rotated_by, note: replaced }]),
    ...(revoked_at === null ? [] : [{ name: "Revoked", time: revoked_at, by: revoked_by }]),
    ...lastUseOf(token),
  ];
};

const lastUseOf = ({ last_used_at }: Token): HistoryEvent[] =>
  last_used_at === null ? [] : [{ name: "Last used", time: last_used_at, note: "To within 5 minutes." }];

const endOf = ({ expires_at }: Token, standing: string): HistoryEvent[] =>
  expires_at === null || standing === "revoked"
    ? []
    : [{ name: standing === "expired" ? "Expired" : "Expires", time: expires_at }];

const linkTo = (id: string, text: string) => <PageLink href={addresses.token(id)}>{text}</PageLink>;
