import { Alert, Button, SpaceBetween, StatusIndicator } from "@cloudscape-design/components";
import { Fragment } from "react";
import { addresses } from "../../../../lambdas/addresses.ts";
import type { Leak, Token } from "../../../api/types.ts";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { PageLink } from "../../../parts/links.tsx";
import { useNow } from "../../../parts/time.ts";
import { Address, Moment } from "../../../parts/values.tsx";
import { useOpenDialog } from "../token/open-dialog.ts";
import { harmfulLeaks, type LeakCause, type Leaks, type LeakWarning, latestFirst } from "./leak-sources.ts";

const maxNamed = 3;

/** The first addresses, each with the time of its last call if that is given. */
const AddressList = ({ from }: { from: { source_ip: string; last_at?: string }[] }) =>
  from.slice(0, maxNamed).map(({ source_ip, last_at }, index) => (
    <Fragment key={source_ip}>
      {index > 0 && ", "}
      <Address ip={source_ip} />
      {last_at !== undefined && (
        <>
          {" "}
          (<Moment time={last_at} />)
        </>
      )}
    </Fragment>
  ));

/** The addresses of a leak, each with its last time, and whether there are others. */
export const LeakAddresses = ({ leak }: { leak: Leak }) => {
  const latest = latestFirst(leak);
  return (
    <>
      <AddressList from={latest} />
      {latest.length > maxNamed && `, ${latest.length - maxNamed} more`}
      {leak.unlisted_at !== null && (
        <>
          {latest.length > 0 && " and "}further addresses (<Moment time={leak.unlisted_at} />)
        </>
      )}
    </>
  );
};

/** Marks a token whose correct secret came from a wrong address, and names the last one. The alert above names all. */
export const LeakMark = ({ token, leaks }: { token: Token; leaks: Leaks | undefined }) => {
  const [found] = harmfulLeaks(leaks, [token], useNow());
  if (!found) return null;
  const [last, ...others] = latestFirst(found[1]);
  return (
    <div>
      <StatusIndicator type="warning">
        <span className="whole-words">
          <PageLink href={addresses.token(token.token_id)}>Wrong address</PageLink>
        </span>
      </StatusIndicator>
      {last && (
        <div className="remark">
          <AddressList from={[last]} />
          {others.length > 0 && ` and ${others.length} more`}
        </div>
      )}
    </div>
  );
};

/** Warns that the token's secret was used from an address that is not the token's, and that nobody has recognised. */
export const LeakAlert = ({ token, warning }: { token: Token; warning: LeakWarning }) => {
  const open = useOpenDialog();
  useFocusAfterwards();
  const { calls, last, unlistedCalls, cause } = warning;
  const { header, advice } = texts[cause];
  const others = warning.addresses.filter((ip) => ip !== last.ip).map((source_ip) => ({ source_ip }));
  const isOne = others.length === 0 && unlistedCalls === 0;
  return (
    <Alert
      type="warning"
      header={header}
      action={
        <SpaceBetween direction="horizontal" size="xs">
          {isOne && cause !== "invitation" && (
            <Button onClick={() => open({ name: "dismiss", token, ip: last.ip })}>Dismiss</Button>
          )}
          <Button onClick={() => open({ name: "revoke", token })}>
            Revoke the {cause === "invitation" ? "invitation" : "token"}
          </Button>
        </SpaceBetween>
      }
    >
      {calls === 1 ? "One call was" : `${calls.toLocaleString("en")} calls were`} refused for this reason in the last
      seven days, the last <Moment time={last.time} /> from <Address ip={last.ip} />
      {others.length > 0 && (
        <>
          ; others came from <AddressList from={others} />
        </>
      )}
      {others.length > maxNamed && ` and ${(others.length - maxNamed).toLocaleString("en")} more, listed below`}.{" "}
      {unlistedCalls > 0 &&
        `${unlistedCalls.toLocaleString("en")} came from further addresses, which are not listed; the log names them. `}
      {advice(isOne)}
    </Alert>
  );
};

/** What to do about a leak, in the list. */
export const leakAdvice =
  "If the client does not recognise the address, somebody else has its token or its invitation: the token's page says what to do. If it does, dismiss the warning there.";

interface LeakTexts {
  header: string;
  /** What to do if the client does not recognise the address, or one of several addresses. */
  advice: (isOne: boolean) => string;
}

const unlessRecognised = (isOne: boolean): string =>
  `If the client does not recognise ${isOne ? "the address" : "one of the addresses"}`;

/** The texts of the page on which warnings are dismissed. */
const texts: Record<LeakCause, LeakTexts> = {
  token: {
    header: "The correct secret came from a wrong address",
    advice: (isOne) =>
      `${unlessRecognised(isOne)}, the token has leaked: revoke it and invite the client again. ${isOne ? "If it does, dismiss the warning." : "Dismiss the warning for those that it does recognise, below."}`,
  },
  invitation: {
    header: "The invitation was used from a wrong address",
    advice: (isOne) =>
      `${unlessRecognised(isOne)}, somebody else has read the invitation. If it does, the invitation is for the wrong address. Revoke it in either case, and invite the client again.`,
  },
  "used invitation": {
    header: "The invitation was used again from a wrong address",
    advice: (isOne) =>
      `The invitation is worthless now. If the client has its token, dismiss the warning${isOne ? "" : "s, below"}. If it has none, somebody else has redeemed the invitation: revoke the token and invite the client again.`,
  },
};
