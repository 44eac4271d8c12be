import { Fragment, type ReactNode } from "react";
import { isTrustId } from "../../../lambdas/domain/tokens/trust-id.ts";
import { localTime, relativeTime, useNow, utcTime, zoneName } from "./time.ts";
import { partsOf, visibleText } from "./visible-characters.ts";

/** Shows an IP address. Long addresses wrap only after colons. */
export const Address = ({ ip }: { ip: string }) => (
  <span className="address">
    {ip.split(/(?<=:)/).map((group, index, groups) => (
      <Fragment key={groups.slice(0, index + 1).join("")}>
        {index > 0 && <wbr />}
        {group}
      </Fragment>
    ))}
  </span>
);

/**
 * Shows a text that somebody else chose, such as a key_id. Two different texts never look alike because of invisible characters,
 * and a text never changes the direction of the text around it.
 */
export const VisibleText = ({ text }: { text: string }) => (
  <bdi>
    {partsOf(text).map(({ text, offset, code }) =>
      code === undefined ? (
        text
      ) : (
        <span key={offset} className="invisible-character" data-code={code} title={code}>
          {text}
        </span>
      ),
    )}
  </bdi>
);

/** Shows a text in one line and cuts off what doesn't fit. Hover or keyboard focus shows the whole text, and print always does. */
export const OneLine = ({ text, children = <VisibleText text={text} /> }: { text: string; children?: ReactNode }) => (
  <span className="one-line" title={visibleText(text)}>
    {children}
  </span>
);

interface MomentProps {
  /** RFC 3339, or null if the event hasn't happened. */
  time: string | null;
  /** Shown for null. */
  otherwise?: string;
}

/** Shows a time relative to now, with the exact time as a tooltip, and in print next to it. */
export const Moment = ({ time, otherwise = "–" }: MomentProps) => {
  const now = useNow();
  if (time === null) return otherwise;
  return (
    <time
      className="moment"
      dateTime={time}
      title={`${localTime(time)}\n${utcTime(time)}`}
      data-exact={localTime(time)}
    >
      {relativeTime(time, now)}
    </time>
  );
};

/** Shows a time relative to now and in the browser's time zone, with UTC as a tooltip. */
export const ExactMoment = ({ time, otherwise = "–" }: MomentProps) => {
  const now = useNow();
  if (time === null) return otherwise;
  return (
    <time className="exact-moment" dateTime={time} title={utcTime(time)}>
      <span>{relativeTime(time, now)}</span>
      <span className="remark">{localTime(time)}</span>
    </time>
  );
};

/** Shows a time in the browser's time zone, with UTC as a tooltip. */
export const LocalTime = ({ time }: { time: string }) => (
  <time className="nowrap" dateTime={time} title={utcTime(time)}>
    {localTime(time)}
  </time>
);

/** Says which time zone the page's times are in. */
export const ZoneNote = () => <>Times are in {zoneName(new Date().toISOString())}.</>;

const invocation = /^invoke:([^:]+)(?::(.*))?$/s;
const client = /^token:([^:]+)(?::(.+))?$/;

/** The author of a change: a user of this interface, an invocation of the admin function, or a client with its token. */
export type Author =
  | { type: "user"; name: string }
  /** With the invoker's name, if it gave one. */
  | { type: "invocation"; requestId: string; name: string | undefined }
  /** With the client's address, unless it is recorded elsewhere. */
  | { type: "client"; tokenId: string; ip: string | undefined };

/** Parses an author from the service's record. */
export const authorOf = (recorded: string): Author => {
  const [, requestId, name] = invocation.exec(recorded) ?? [];
  if (requestId !== undefined) return { type: "invocation", requestId, name: name || undefined };
  const [, tokenId, ip] = client.exec(recorded) ?? [];
  return tokenId === undefined ? { type: "user", name: recorded } : { type: "client", tokenId, ip };
};

/** Returns the title and link for a client or workload, to show before its name. */
export const titleOf = (tokenId: string): { title: string; link: string } =>
  isTrustId(tokenId) ? { title: "The workload", link: " " } : { title: "The client", link: " of " };
