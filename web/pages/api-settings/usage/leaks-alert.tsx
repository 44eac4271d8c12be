import Alert from "@cloudscape-design/components/alert";
import { Fragment, useState } from "react";
import type { Token } from "../../../api/token.ts";
import type { Leak } from "../../../api/usage.ts";
import { Address } from "../../../parts/address.tsx";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { Moment } from "../../../parts/moment.tsx";
import { PageLink } from "../../../parts/page-link.tsx";
import { useNow } from "../../../parts/time.ts";
import { addresses } from "../../../shell/routing.ts";
import { tokenName } from "../token-name.tsx";
import { harmfulLeaks } from "./leak-mark.tsx";
import type { LeakList } from "./use-leaks.ts";

const mostNamed = 3;

/** Warns of all tokens whose right secret came from a wrong address, on whatever page of the table they are. */
export const LeaksAlert = ({ list: { value, failure, reload }, tokens }: { list: LeakList; tokens: Token[] }) => {
  const [isHidden, setHidden] = useState(false);
  const harmful = harmfulLeaks(value, tokens, useNow());
  if (failure) {
    return <FailureAlert title="It could not be loaded which tokens leaked" failure={failure} onRetry={reload} />;
  }
  if (harmful.length === 0 || isHidden) return null;
  return <Warning harmful={harmful} onHide={() => setHidden(true)} />;
};

const Warning = ({ harmful, onHide }: { harmful: [Token, Leak][]; onHide: () => void }) => {
  useFocusAfterwards();
  const named = harmful.toSorted(([, one], [, other]) => other.time.localeCompare(one.time)).slice(0, mostNamed);
  const more = harmful.length - named.length;
  return (
    <Alert
      type="warning"
      dismissible
      dismissAriaLabel="Hide the warning"
      onDismiss={onHide}
      header={
        harmful.length === 1
          ? "The right secret of a token came from a wrong address"
          : `The right secrets of ${harmful.length} tokens came from wrong addresses`
      }
    >
      Refused, within seven days:{" "}
      {named.map(([token, { time, source_ip }], index) => (
        <Fragment key={token.token_id}>
          {index > 0 && "; "}
          <PageLink href={addresses.token(token.token_id)}>{tokenName(token)}</PageLink>, last from{" "}
          <Address ip={source_ip} /> <Moment time={time} />
        </Fragment>
      ))}
      {more > 0 && `; and ${more} more`}.
    </Alert>
  );
};
