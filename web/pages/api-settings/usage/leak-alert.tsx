import Alert from "@cloudscape-design/components/alert";
import type { Usage } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { Moment } from "../../../parts/moment.tsx";

/** Warns that the token's secret was used from an address that is not the token's. */
export const LeakAlert = ({ usage: { hours, refusals } }: { usage: Usage }) => {
  const count = hours.reduce((sum, { leak_signals }) => sum + leak_signals, 0);
  const [last, ...earlier] = refusals.filter(({ leak }) => leak);
  if (count === 0 || !last) return null;
  const others = new Set(earlier.map(({ source_ip }) => source_ip)).difference(new Set([last.source_ip]));
  return (
    <Alert type="warning" header="The correct secret came from a wrong address">
      {count === 1 ? "One call was" : `${count.toLocaleString("en")} calls were`} refused for this reason in the last
      seven days, the last <Moment time={last.time} /> from <Address ip={last.source_ip} />
      {others.size > 0 && <>; others came from {listOf([...others])}</>}. If the client does not know{" "}
      {others.size > 0 ? "these addresses" : "this address"}, the token has leaked: revoke it and issue a new one.
    </Alert>
  );
};

const maxNamed = 3;

const listOf = (addresses: string[]) => {
  const named = addresses.slice(0, maxNamed);
  const more = addresses.length - named.length;
  return (
    <>
      {named.map((ip, index) => (
        <span key={ip}>
          {index > 0 && ", "}
          <Address ip={ip} />
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
};
