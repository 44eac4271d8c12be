import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { Fragment } from "react";
import type { Token } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { Moment } from "../../../parts/moment.tsx";
import { leakTexts } from "../token/leak-advice.ts";
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
