import Alert from "@cloudscape-design/components/alert";
import { Fragment, useState } from "react";
import type { Leak, Token } from "../../../api/types.ts";
import { Address } from "../../../parts/address.tsx";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { Moment } from "../../../parts/moment.tsx";
import { PageLink } from "../../../parts/page-link.tsx";
import { addresses } from "../../../parts/routes.ts";
import { useNow } from "../../../parts/time.ts";
import { TokenName } from "../token/token-name.tsx";
import { harmfulLeaks, useLeaks } from "./use-leaks.ts";

const maxNamed = 3;

/** Warns of all tokens whose correct secret came from a wrong address, also of those on other pages of the table. */
export const LeaksAlert = ({ tokens }: { tokens: Token[] }) => {
  const { data, error, refetch } = useLeaks();
  const [isHidden, setHidden] = useState(false);
  const harmful = harmfulLeaks(data, tokens, useNow());
  if (error) return <FailureAlert title="Leak warnings could not be loaded" failure={error} onRetry={refetch} />;
  if (harmful.length === 0 || isHidden) return null;
  return <Warning harmful={harmful} onHide={() => setHidden(true)} />;
};

const Warning = ({ harmful, onHide }: { harmful: [Token, Leak][]; onHide: () => void }) => {
  useFocusAfterwards();
  const named = harmful.toSorted(([, one], [, other]) => other.time.localeCompare(one.time)).slice(0, maxNamed);
  const more = harmful.length - named.length;
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
    >
      Refused in the last seven days:{" "}
      {named.map(([token, leak], index) => (
        <Fragment key={token.token_id}>
          {index > 0 && "; "}
          <PageLink href={addresses.token(token.token_id)}>
            <TokenName token={token} />
          </PageLink>
          , from <LeakAddresses leak={leak} />
        </Fragment>
      ))}
      {more > 0 && `; and ${more} more`}.
    </Alert>
  );
};

/** The last addresses, and how many others there are. */
const LeakAddresses = ({ leak: { addresses, unlisted_at } }: { leak: Leak }) => {
  const latest = addresses.toSorted((one, other) => other.last_at.localeCompare(one.last_at)).slice(0, maxNamed);
  const more = addresses.length - latest.length;
  return (
    <>
      {latest.map(({ source_ip, last_at }, index) => (
        <Fragment key={source_ip}>
          {index > 0 && ", "}
          <Address ip={source_ip} /> <Moment time={last_at} />
        </Fragment>
      ))}
      {unlisted_at === null ? more > 0 && ` and ${more} more` : ` and more than ${more} more`}
    </>
  );
};
