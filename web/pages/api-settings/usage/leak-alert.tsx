import { Alert, SpaceBetween, StatusIndicator } from "@cloudscape-design/components";
import { addresses } from "../../../../lambdas/addresses.ts";
import type { Token } from "../../../api/types.ts";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { PageLink } from "../../../parts/links.tsx";
import { useNow } from "../../../parts/time.ts";
import { Address, Moment } from "../../../parts/values.tsx";
import { harmfulLeaks, type Leaks, type LeakWarning } from "./leak-sources.ts";
import { AddressList, LeakSteps, leakQuestion, maxNamed, whatIsWrong } from "./leak-steps.tsx";

/** Marks a token that was used from a wrong address. *Needs attention* and the token's page name the addresses. */
export const LeakMark = ({ token, leaks }: { token: Token; leaks: Leaks | undefined }) =>
  harmfulLeaks(leaks, [token], useNow()).length > 0 && (
    <StatusIndicator type="warning">
      <span className="whole-words">
        <PageLink href={addresses.token(token.token_id)}>Wrong address</PageLink>
      </span>
    </StatusIndicator>
  );

/** Warns that the token's secret was used from an address that is not the token's, and that nobody has recognised. */
export const LeakAlert = ({ token, warning }: { token: Token; warning: LeakWarning }) => {
  useFocusAfterwards();
  const { calls, last, unlistedCalls, cause } = warning;
  const others = warning.addresses.filter((ip) => ip !== last.ip).map((source_ip) => ({ source_ip }));
  const isOne = others.length === 0 && unlistedCalls === 0;
  return (
    <Alert
      type="warning"
      header={
        <>
          Somebody used this {cause === "token" ? "token" : "invitation"} from <Address ip={last.ip} />,{" "}
          {whatIsWrong(true)}
        </>
      }
    >
      <SpaceBetween size="s">
        <div>
          {calls === 1
            ? "The call was refused"
            : `${calls.toLocaleString("en")} calls were refused in seven days, the last`}{" "}
          <Moment time={last.time} />
          {others.length > 0 && (
            <>
              ; others came from <AddressList from={others} />
            </>
          )}
          {others.length > maxNamed && ` and ${(others.length - maxNamed).toLocaleString("en")} more, listed below`}.{" "}
          {unlistedCalls > 0 &&
            `${unlistedCalls.toLocaleString("en")} came from further addresses, which are not listed; the log names them. `}
          {cause === "used invitation"
            ? "The invitation had become this token before. Does the client have it? If not, somebody else does."
            : leakQuestion(token, isOne)}
          {!isOne && cause !== "invitation" && " You can stop the warning for each address below."}
        </div>
        <LeakSteps token={token} ips={[last.ip]} isOne={isOne} />
      </SpaceBetween>
    </Alert>
  );
};
