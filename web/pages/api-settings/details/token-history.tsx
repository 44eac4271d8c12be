import type { ReactNode } from "react";
import type { Token } from "../../../api/types.ts";
import { Actor } from "../../../parts/actor.tsx";
import { Address } from "../../../parts/address.tsx";
import { ExactMoment } from "../../../parts/moment.tsx";
import { PageLink } from "../../../parts/page-link.tsx";
import { addresses } from "../../../parts/routes.ts";
import { useNow } from "../../../parts/time.ts";
import { BoundAddress } from "../token/bound-address.tsx";
import { useMovedFrom } from "../token/token-queries.ts";
import { hasMoved, isUnredeemed, statusOf, type TokenStatus } from "../token/token-status.ts";
import "./token-history.css";

interface HistoryEvent {
  name: string;
  time: string;
  by?: string | null;
  note?: ReactNode;
}

/** What happened to a token, newest first, and when it or its invitation will end. */
export const TokenHistory = ({ token }: { token: Token }) => {
  const now = useNow();
  const status = statusOf(token, now);
  const movedFrom = useMovedFrom(token);
  const events = [...pastEvents(token, movedFrom), ...requestEvents(token, now), ...endOf(token, status)].toSorted(
    (one, other) => other.time.localeCompare(one.time),
  );
  return (
    <ol className="history">
      {events.map(({ name, time, by, note }) => (
        <li key={`${name} ${time}`} className={`event-${name.toLowerCase().replaceAll(" ", "-")}`}>
          <strong>{name}</strong>
          {by && (
            <>
              {" "}
              by <Actor name={by} isDetailed pageOf={token.token_id} />
            </>
          )}
          {note && <div>{note}</div>}
          <ExactMoment time={time} />
        </li>
      ))}
    </ol>
  );
};

const pastEvents = (token: Token, movedFrom: Token | undefined): HistoryEvent[] => {
  const { issued_at, issued_by, predecessor_id, rotated_at, rotated_by, successor_id, revoked_at, revoked_by } = token;
  const { updated_at, updated_by, dismissed_addresses, invitation } = token;
  const predecessor = predecessor_id && (
    <>
      {movedFrom && (
        <>
          Moved from <BoundAddress token={movedFrom} />.{" "}
        </>
      )}
      Replaces {linkTo(predecessor_id, "its predecessor")}.
    </>
  );
  const successor = successor_id && <>Replaced by {linkTo(successor_id, "its successor")}.</>;
  return [
    { name: invitation ? "Invited" : "Issued", time: issued_at, by: issued_by, note: predecessor },
    ...redemption(token),
    ...(updated_at === null ? [] : [{ name: "Last edited", time: updated_at, by: updated_by }]),
    ...(rotated_at === null
      ? []
      : [{ name: hasMoved(token) ? "Moved" : "Rotated", time: rotated_at, by: rotated_by, note: successor }]),
    ...(revoked_at === null ? [] : [{ name: "Revoked", time: revoked_at, by: revoked_by, note: finder(token) }]),
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

const redemption = (token: Token): HistoryEvent[] => {
  const time = token.invitation?.redeemed_at ?? null;
  if (time === null) return [];
  const note = (
    <>
      The client at <BoundAddress token={token} /> got its token.
    </>
  );
  return [{ name: "Invitation redeemed", time, note }];
};

/** Whoever has the secret can revoke the token, from any address. */
const finder = ({ ip, revoked_by }: Token): ReactNode =>
  revoked_by?.startsWith("token:") &&
  !revoked_by.endsWith(`:${ip}`) &&
  "This is not the address of the token: somebody else had its secret, and has ended it.";

/** Who asked for a confirmation, and what was decided. */
const requestEvents = ({ request }: Token, now: number): HistoryEvent[] => {
  if (request === null) return [];
  const { ip, code, requested_at, expires_at, decision, decided_at, decided_by } = request;
  const isMove = request.for === "move";
  const address = <Address ip={ip} />;
  const asked = {
    name: isMove ? "Move requested" : "Confirmation requested",
    time: requested_at,
    note: (
      <>
        From {address}, with the code <code className="address">{code}</code>.
        {decision === null && Date.parse(expires_at) <= now && " Nobody decided within 15 minutes."}
      </>
    ),
  };
  if (decision === null || decided_at === null) return [asked];
  const name = `${isMove ? "Move" : "Address"} ${decision}`;
  return [asked, { name, time: decided_at, by: decided_by, note: address }];
};

const lastUse = ({ last_used_at }: Token): HistoryEvent[] =>
  last_used_at === null ? [] : [{ name: "Last used", time: last_used_at, note: "To within 5 minutes." }];

/** When the token ends, or its invitation if it has not been redeemed. */
const endOf = (token: Token, status: TokenStatus): HistoryEvent[] => {
  if (status === "revoked") return [];
  const hasEnded = status === "expired";
  if (token.invitation !== null && isUnredeemed(token)) {
    return [{ name: hasEnded ? "Invitation ended" : "Invitation ends", time: token.invitation.expires_at }];
  }
  return token.expires_at === null ? [] : [{ name: hasEnded ? "Expired" : "Expires", time: token.expires_at }];
};

const linkTo = (id: string, text: string) => <PageLink href={addresses.token(id)}>{text}</PageLink>;
