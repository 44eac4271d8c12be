import { Fragment } from "react";
import type { Leak } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { latestFirst } from "./warned-leaks.ts";

const maxNamed = 3;

/** The addresses of a leak, each with its last time, and whether there are others. */
export const LeakAddresses = ({ leak }: { leak: Leak }) => {
  const latest = latestFirst(leak);
  const others = latest.length - maxNamed;
  return (
    <>
      {latest.slice(0, maxNamed).map(({ source_ip, last_at }, index) => (
        <Fragment key={source_ip}>
          {index > 0 && ", "}
          <Address ip={source_ip} /> (<Moment time={last_at} />)
        </Fragment>
      ))}
      {others > 0 && `, ${others} more`}
      {leak.unlisted_at !== null && (
        <>
          {latest.length > 0 && " and "}further addresses (<Moment time={leak.unlisted_at} />)
        </>
      )}
    </>
  );
};
