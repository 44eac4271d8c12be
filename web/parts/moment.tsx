import { localTime, relativeTime, useNow, utcTime } from "./time.ts";

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
