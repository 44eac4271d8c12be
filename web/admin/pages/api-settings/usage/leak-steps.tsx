import { Button, SpaceBetween } from "@cloudscape-design/components";
import { Fragment } from "react";
import type { Leak, Token } from "../../../api/types.ts";
import { DangerButton } from "../../../parts/danger-button.tsx";
import { Address, Moment } from "../../../parts/values.tsx";
import { tokenName } from "../../../tokens/token-name.tsx";
import { useOpenDialog } from "../token/open-dialog.ts";
import { isUnredeemed } from "../token/token-status.ts";
import { latestFirst } from "./leak-sources.ts";

export const maxNamed = 3;

/** Lists the first addresses, each with the time of its last call if given. */
export const AddressList = ({ from }: { from: { source_ip: string; last_at?: string }[] }) =>
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

/** Lists a leak's addresses with the time of the last call, and says whether there are more. */
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

/** Says what is wrong with the addresses before it. */
export const whatIsWrong = (isOne: boolean): string =>
  isOne ? "an address that is not its own" : "addresses that are not its own";

/** Returns the question that the admin has to answer. */
export const leakQuestion = (token: Token, isOne: boolean): string => {
  if (isUnredeemed(token)) return "Either it is for the wrong address, or somebody else has read it.";
  return isOne ? "Was it your client?" : "Were they all your client?";
};

interface LeakStepsProps {
  token: Token;
  /** The known addresses. */
  ips: readonly string[];
  /** Whether there was exactly one address. */
  isOne: boolean;
}

/** Says what to do for each answer. For several addresses, the token's page has a button for each. */
export const LeakSteps = ({ token, ips: [ip], isOne }: LeakStepsProps) => {
  const open = useOpenDialog();
  const labelled = (text: string) => ({ children: text, ariaLabel: `${text}: ${tokenName(token)}` });
  const isInvitation = isUnredeemed(token);
  const isOfWorkload = token.trust_id !== null;
  const known = isOne && !isInvitation ? ip : undefined;
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <DangerButton
        variant="normal"
        {...labelled(`${isInvitation ? "Revoke" : "No, revoke"}${isOfWorkload ? "" : " and invite again"}`)}
        onClick={() => open({ name: isOfWorkload ? "revoke" : "revoke and invite", token })}
      />
      {known !== undefined && !isOfWorkload && (
        <Button {...labelled("Yes, it moved")} onClick={() => open({ name: "invite", model: { token, ip: known } })} />
      )}
      {known !== undefined && (
        <Button {...labelled("Yes, stop warning")} onClick={() => open({ name: "dismiss", token, ip: known })} />
      )}
    </SpaceBetween>
  );
};
