import type { ReactNode } from "react";
import type { Token } from "../../../api/types.ts";
import { Actor } from "../../../parts/actor.tsx";
import { Address } from "../../../parts/address.tsx";
import { ExactMoment } from "../../../parts/moment.tsx";
import { PageLink } from "../../../parts/page-link.tsx";
import { addresses } from "../../../parts/routes.ts";
import { useNow } from "../../../parts/time.ts";
import { statusOf, type TokenStatus } from "../token/token-status.ts";
import "./token-history.css";

interface HistoryEvent {
  name: string;
  time: string;
  by?: string | null;
  note?: ReactNode;
}

/** What happened to a token, newest first, and when it will expire. */
export const TokenHistory = ({ token }: { token: Token }) => {
  const status = statusOf(token, useNow());
  const events = [...pastEvents(token), ...expiry(token, status)].toSorted((one, other) =>
    other.time.localeCompare(one.time),
  );
  return (
    <ol className="history">
      {events.map(({ name, time, by, note }) => (
        <li key={`${name} ${time}`} className={`event-${name.toLowerCase().replace(" ", "-")}`}>
          <strong>{name}</strong>
          {by && (
            <>
              {" "}
              by <Actor name={by} isDetailed />
            </>
          )}
          {note && <div>{note}</div>}
          <ExactMoment time={time} />
        </li>
      ))}
    </ol>
  );
};

const pastEvents = (token: Token): HistoryEvent[] => {
  const { issued_at, issued_by, predecessor_id, rotated_at, rotated_by, successor_id, revoked_at, revoked_by } = token;
  const { updated_at, updated_by, dismissed_addresses } = token;
  const predecessor = predecessor_id && <>Replaces {linkTo(predecessor_id, "its predecessor")}.</>;
  const successor = successor_id && <>Replaced by {linkTo(successor_id, "its successor")}.</>;
  return [
    { name: "Issued", time: issued_at, by: issued_by, note: predecessor },
    ...(updated_at === null ? [] : [{ name: "Last edited", time: updated_at, by: updated_by }]),
    ...(rotated_at === null ? [] : [{ name: "Rotated", time: rotated_at, by: rotated_by, note: successor }]),
    ...(revoked_at === null ? [] : [{ name: "Revoked", time: revoked_at, by: revoked_by }]),
    ...dismissed_addresses.map(({ ip, dismissed_at, dismissed_by }) => ({
      name: "Warning dismissed",
      time: dismissed_at,
      by: dismissed_by,
      note: (
        <>
          Calls from <Address ip={ip} /> are still refused, but no longer cause a warning.
        </>
      ),
    })),
    ...lastUse(token),
  ];
};

const lastUse = ({ last_used_at }: Token): HistoryEvent[] =>
  last_used_at === null ? [] : [{ name: "Last used", time: last_used_at, note: "To within 5 minutes." }];

const expiry = ({ expires_at }: Token, status: TokenStatus): HistoryEvent[] =>
  expires_at === null || status === "revoked"
    ? []
    : [{ name: status === "expired" ? "Expired" : "Expires", time: expires_at }];

const linkTo = (id: string, text: string) => <PageLink href={addresses.token(id)}>{text}</PageLink>;
