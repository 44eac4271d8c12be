import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import SpaceBetween from "@cloudscape-design/components/space-between";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import { Fragment } from "react";
import { addresses } from "../../../../lambdas/addresses.ts";
import type { Token } from "../../../api/types.ts";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { PageLink } from "../../../parts/links.tsx";
import { useNow } from "../../../parts/time.ts";
import { Address, Moment } from "../../../parts/values.tsx";
import { harmfulLeaks, type Leaks, latestFirst } from "../attention/attention-items.ts";
import type { OpenDialog } from "../token/open-dialog.ts";
import type { LeakWarning } from "./leak-sources.ts";

const maxNamed = 3;

interface LeakAlertProps {
  token: Token;
  warning: LeakWarning;
  onOpen: (dialog: OpenDialog) => void;
}

/** Warns that the token's secret was used from an address that is not the token's, and that nobody has recognised. */
export const LeakAlert = ({ token, warning, onOpen }: LeakAlertProps) => {
  const { calls, last, addresses, unlistedCalls, cause } = warning;
  const { header, advice } = leakTexts[cause];
  useFocusAfterwards();
  const others = addresses.filter((ip) => ip !== last.ip);
  const isOne = others.length === 0 && unlistedCalls === 0;
  return (
    <Alert
      type="warning"
      header={header}
      action={
        <SpaceBetween direction="horizontal" size="xs">
          {isOne && cause !== "invitation" && (
            <Button onClick={() => onOpen({ name: "dismiss", token, ip: last.ip })}>Dismiss</Button>
          )}
          <Button onClick={() => onOpen({ name: "revoke", token })}>
            Revoke the {cause === "invitation" ? "invitation" : "token"}
          </Button>
        </SpaceBetween>
      }
    >
      {calls === 1 ? "One call was" : `${calls.toLocaleString("en")} calls were`} refused for this reason in the last
      seven days, the last <Moment time={last.time} /> from <Address ip={last.ip} />
      {others.length > 0 && <>; others came from {listOf(others)}</>}.{" "}
      {unlistedCalls > 0 &&
        `${unlistedCalls.toLocaleString("en")} came from further addresses, which are not listed; the log names them. `}
      {advice(isOne)}
    </Alert>
  );
};

const listOf = (addresses: string[]) => {
  const named = addresses.slice(0, maxNamed);
  const more = addresses.length - named.length;
  return (
    <>
      {named.map((ip, index) => (
        <Fragment key={ip}>
          {index > 0 && ", "}
          <Address ip={ip} />
        </Fragment>
      ))}
      {more > 0 && ` and ${more.toLocaleString("en")} more, listed below`}
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
          <Address ip={last.source_ip} /> (<Moment time={last.last_at} />)
          {others.length > 0 && ` and ${others.length} more`}
        </div>
      )}
    </div>
  );
};

/** What to do about a leak, wherever the interface warns of one. */
export const leakAdvice =
  "If the client does not recognise the address, somebody else has its token or its invitation: the token's page says what to do. If it does, dismiss the warning there.";

/** What came from a wrong address: a token, an invitation that can still be redeemed, or one that was redeemed before. */
export type LeakCause = "token" | "invitation" | "used invitation";

interface LeakTexts {
  header: string;
  /** What to do if the client does not recognise the address, or one of several addresses. */
  advice: (isOne: boolean) => string;
}

const unlessRecognised = (isOne: boolean): string =>
  `If the client does not recognise ${isOne ? "the address" : "one of the addresses"}`;

/** The texts of the page on which warnings are dismissed. */
const leakTexts: Record<LeakCause, LeakTexts> = {
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
