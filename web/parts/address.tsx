import { Fragment } from "react";

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
