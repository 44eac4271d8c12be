import Alert from "@cloudscape-design/components/alert";
import type { Usage } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { Moment } from "../../../parts/moment.tsx";

const maxNamed = 3;

/** Warns that the token's secret was used from an address that is not the token's. */
export const LeakAlert = ({ usage: { hours, leaks } }: { usage: Usage }) => {
  const count = hours.reduce((sum, { leak_signals }) => sum + leak_signals, 0);
  const [last, ...others] = leaks.addresses;
  if (count === 0 || !last) return null;
  const isOne = others.length === 0 && leaks.unlisted_calls === 0;
  return (
    <Alert type="warning" header="The correct secret came from a wrong address">
      {count === 1 ? "One call was" : `${count.toLocaleString("en")} calls were`} refused for this reason in the last
      seven days, the last <Moment time={last.last_at} /> from <Address ip={last.source_ip} />
      {others.length > 0 && <>; others came from {listOf(others.map(({ source_ip }) => source_ip))}</>}.{" "}
      {leaks.unlisted_calls > 0 &&
        `${leaks.unlisted_calls.toLocaleString("en")} came from further addresses, which only the log names. `}
      If the client does not know {isOne ? "this address" : "each of these addresses"}, the token has leaked: revoke it
      and issue a new one.
    </Alert>
  );
};

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
      {more > 0 && ` and ${more.toLocaleString("en")} more, listed below`}
    </>
  );
};
