import { Fragment, type ReactNode } from "react";
import { isTrustId } from "../../lambdas/resources/tokens/trust-id.ts";
import { authorOf } from "./author.ts";
import { localTime, relativeTime, useNow, utcTime, zoneName } from "./time.ts";
import { partsOf, visibleText } from "./visible-characters.ts";

/** An IP address. A long one breaks only after a colon. */
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
 * A text that somebody else has chosen, such as a key_id. Two that differ never look alike because of characters that cannot be
 * seen, and none changes the order of the text around it.
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

/** A text in one line: what does not fit is cut off. A pointer or the keyboard shows all of it, and on paper nothing is cut off. */
export const OneLine = ({ text, children = <VisibleText text={text} /> }: { text: string; children?: ReactNode }) => (
  <span className="one-line" title={visibleText(text)}>
    {children}
  </span>
);

/** A name that is a plain e-mail address breaks after the @ before it breaks within a word. */
export const PersonName = ({ name }: { name: string }) => {
  const [, user, host] = /^([\w.+-]+@)([\w.-]+)$/.exec(name) ?? [];
  return (
    <span className="breakable">
      {user === undefined ? (
        <VisibleText text={name} />
      ) : (
        <>
          {user}
          <wbr />
          {host}
        </>
      )}
    </span>
  );
};

/**
 * Who did something, in short: a user of this interface, an invocation of the admin function, by the name that the invoker gave,
 * or a client, with its own token. A tooltip says more.
 *
 * @param name as the service records it
 */
export const Actor = ({ name }: { name: string }) => {
  const author = authorOf(name);
  switch (author.type) {
    case "user":
      return <PersonName name={author.name} />;
    case "client":
      return (
        <span title={`From ${author.ip}, with the token ${author.tokenId}`}>
          {isTrustId(author.tokenId) ? "Workload" : "Client"} itself
        </span>
      );
    case "invocation":
      return <span title={`Request id ${author.requestId}`}>{invokerOf(author.name)}</span>;
  }
};

const invokerOf = (name: string | undefined) =>
  name === undefined ? (
    "A command"
  ) : (
    <>
      <PersonName name={name} />, by command
    </>
  );

interface MomentProps {
  /** RFC 3339; null for what has not happened. */
  time: string | null;
  /** Shown for null. */
  otherwise?: string;
}

/** A time relative to now, with the exact time as a tooltip, and beside it on paper. */
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

/** A time relative to now and in the time zone of the browser, with UTC as a tooltip. */
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

/** Says which time zone the times on a page are in. */
export const ZoneNote = () => <>Times are in {zoneName(new Date().toISOString())}.</>;
