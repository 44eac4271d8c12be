import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import { Fragment, useState } from "react";
import type { Leak, Token } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { Moment } from "../../../parts/moment.tsx";
import { PageLink } from "../../../parts/page-link.tsx";
import { addresses } from "../../../parts/routes.ts";
import { useNow } from "../../../parts/time.ts";
import { leakAdvice } from "../token/leak-advice.ts";
import { TokenName, tokenName } from "../token/token-name.tsx";
import { useLeaks } from "./use-leaks.ts";
import { harmfulLeaks, latestFirst } from "./warned-leaks.ts";

const maxNamed = 3;

interface LeaksAlertProps {
  tokens: Token[];
  /** Shows only the leaked tokens in the list. */
  onShowAll: () => void;
}

/** Warns of all tokens whose correct secret came from a wrong address, also of those on other pages of the table. */
export const LeaksAlert = ({ tokens, onShowAll }: LeaksAlertProps) => {
  const { data, error, refetch } = useLeaks();
  const [isHidden, setHidden] = useState(false);
  const harmful = harmfulLeaks(data, tokens, useNow());
  if (error) return <FailureAlert title="Leak warnings could not be loaded" failure={error} onRetry={refetch} />;
  if (harmful.length === 0 || isHidden) return null;
  return <Warning harmful={harmful} onHide={() => setHidden(true)} onShowAll={onShowAll} />;
};

interface WarningProps {
  harmful: [Token, Leak][];
  onHide: () => void;
  onShowAll: () => void;
}

const Warning = ({ harmful, onHide, onShowAll }: WarningProps) => {
  useFocusAfterwards();
  const named = harmful.toSorted(([, one], [, other]) => other.time.localeCompare(one.time)).slice(0, maxNamed);
  return (
    <Alert
      type="warning"
      dismissible
      dismissAriaLabel="Hide the warning"
      onDismiss={onHide}
      header={
        harmful.length === 1
          ? "The correct secret of a token came from a wrong address"
          : `The correct secrets of ${harmful.length} tokens came from wrong addresses`
      }
      action={
        harmful.length > named.length && <Button onClick={onShowAll}>Show all {harmful.length} leaked tokens</Button>
      }
    >
      Refused in the last seven days:
      <ul className="leaks">
        {named.map(([token, leak]) => (
          <li key={token.token_id}>
            <div className="short-text" title={tokenName(token)}>
              <PageLink href={addresses.token(token.token_id)}>
                <TokenName token={token} />
              </PageLink>
            </div>
            from <LeakAddresses leak={leak} />
          </li>
        ))}
      </ul>
      {leakAdvice}
    </Alert>
  );
};

/** Every address with its last time, and whether there are others. */
const LeakAddresses = ({ leak }: { leak: Leak }) => {
  const latest = latestFirst(leak);
  return (
    <>
      {latest.map(({ source_ip, last_at }, index) => (
        <Fragment key={source_ip}>
          {index > 0 && ", "}
          <Address ip={source_ip} /> (<Moment time={last_at} />)
        </Fragment>
      ))}
      {leak.unlisted_at !== null && (
        <>
          {latest.length > 0 && " and "}further addresses (<Moment time={leak.unlisted_at} />)
        </>
      )}
    </>
  );
};
