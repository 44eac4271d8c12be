import Alert from "@cloudscape-design/components/alert";
import type { Refusal, Usage } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { Moment } from "../../../parts/moment.tsx";

const maxNamed = 3;

/** Warns that the token's secret was used from an address that is not the token's. */
export const LeakAlert = ({ usage: { hours, leaks, refusals } }: { usage: Usage }) => {
  const count = hours.reduce((sum, { leak_signals }) => sum + leak_signals, 0);
  const last = lastOf(leaks, refusals);
  if (count === 0 || !last) return null;
  const others = leaks.addresses.filter(({ source_ip }) => source_ip !== last.source_ip);
  const isOne = others.length === 0 && leaks.unlisted_calls === 0;
  return (
    <Alert type="warning" header="The correct secret came from a wrong address">
      {count === 1 ? "One call was" : `${count.toLocaleString("en")} calls were`} refused for this reason in the last
      seven days, the last <Moment time={last.time} /> from <Address ip={last.source_ip} />
      {others.length > 0 && <>; others came from {listOf(others.map(({ source_ip }) => source_ip))}</>}.{" "}
      {leaks.unlisted_calls > 0 &&
        `${leaks.unlisted_calls.toLocaleString("en")} came from addresses for which the list has no room; the log names them. `}
      If the client does not know {isOne ? "this address" : "each of these addresses"}, the token has leaked: revoke it
      and issue a new one.
    </Alert>
  );
};

/** The last refusal can be that of an address which the list has no room for. */
const lastOf = ({ addresses: [last] }: Usage["leaks"], refusals: Refusal[]) => {
  const refusal = refusals.find(({ leak }) => leak);
  if (!last || (refusal && refusal.time > last.last_at)) return refusal;
  return { source_ip: last.source_ip, time: last.last_at };
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
