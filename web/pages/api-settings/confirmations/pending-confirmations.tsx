import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import LiveRegion from "@cloudscape-design/components/live-region";
import type { Token } from "../../../api/types.ts";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { useNow } from "../../../parts/time.ts";
import type { OpenDialog } from "../token/open-dialog.ts";
import { pendingOf } from "./pending.ts";
import { RequestCard } from "./request-card.tsx";

interface PendingConfirmationsProps {
  tokens: readonly Token[];
  onOpen: (dialog: OpenDialog) => void;
}

/** The requests that an admin has to decide, if there are any. */
export const PendingConfirmations = ({ tokens, onOpen }: PendingConfirmationsProps) => {
  const pending = pendingOf(tokens, useNow());
  return (
    <>
      <LiveRegion hidden>
        {pending.length > 0 &&
          `${pending.length === 1 ? "A request awaits" : `${pending.length} requests await`} confirmation.`}
      </LiveRegion>
      {pending.length > 0 && <Pending {...{ pending, onOpen }} />}
    </>
  );
};

interface PendingProps extends Pick<PendingConfirmationsProps, "onOpen"> {
  pending: ReturnType<typeof pendingOf>;
}

const Pending = ({ pending, onOpen }: PendingProps) => {
  useFocusAfterwards();
  return (
    <Container
      header={
        <Header
          variant="h2"
          counter={`(${pending.length})`}
          description="Ask the client's operator to read out the address and the code. Confirm only if both match."
        >
          Awaiting confirmation
        </Header>
      }
    >
      <ul className="requests">
        {pending.map(({ token, request }) => (
          <li key={`${token.token_id} ${request.code}`}>
            <RequestCard
              token={token}
              request={request}
              isNamed={false}
              onDecide={(decision) => onOpen({ name: decision, token, request })}
            />
          </li>
        ))}
      </ul>
    </Container>
  );
};
