import { Button, Container, Header, LiveRegion, SpaceBetween } from "@cloudscape-design/components";
import { addresses } from "../../../../lambdas/addresses.ts";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { useFocusAfterwards } from "../../../parts/focus.ts";
import { PageLink } from "../../../parts/links.tsx";
import { useNow } from "../../../parts/time.ts";
import { Address, Moment } from "../../../parts/values.tsx";
import { BoundAddress, TokenName, tokenName } from "../../../tokens/token-name.tsx";
import { type Decision, useOpenDialog } from "../token/open-dialog.ts";
import { pendingRequest } from "../token/token-status.ts";

interface RequestCardProps {
  token: Token;
  request: ConfirmationRequest;
  /** Names the token, unless it is clear from what is around the card. */
  isNamed: boolean;
  onDecide: (decision: Decision) => void;
}

/** A request for confirmation: whose it is, what to compare, how old it is, and the buttons that decide it. */
export const RequestCard = ({ token, request, isNamed, onDecide }: RequestCardProps) => {
  const labelled = (what: string) => `${what} ${request.ip} for ${tokenName(token)}`;
  return (
    <div className="request-card row">
      <div>
        {isNamed && (
          <div className="short-text">
            <PageLink href={addresses.token(token.token_id)}>
              <TokenName token={token} />
            </PageLink>
          </div>
        )}
        <div className="remark">
          {request.for === "invitation" ? (
            "Invitation"
          ) : (
            <>
              Move from <BoundAddress token={token} />
            </>
          )}
          , asked <Moment time={request.requested_at} />, ends <Moment time={request.expires_at} />
        </div>
      </div>
      <RequestFacts request={request} />
      <SpaceBetween direction="horizontal" size="xs">
        <Button ariaLabel={labelled("Confirm")} onClick={() => onDecide("confirm")}>
          Confirm
        </Button>
        <Button ariaLabel={labelled("Reject")} onClick={() => onDecide("reject")}>
          Reject
        </Button>
      </SpaceBetween>
    </div>
  );
};

/** What the admin and the client's operator compare. */
export const RequestFacts = ({ request: { ip, code } }: { request: ConfirmationRequest }) => (
  <dl className="request-facts row">
    <div>
      <dt>Address</dt>
      <dd>
        <Address ip={ip} />
      </dd>
    </div>
    <div>
      <dt>Code</dt>
      <dd>
        <code className="request-code">{code}</code>
      </dd>
    </div>
  </dl>
);

/** Tells those who cannot see the page that requests have arrived. */
export const RequestNews = ({ count }: { count: number }) => (
  <LiveRegion hidden>
    {count > 0 && `${count === 1 ? "A request awaits" : `${count} requests await`} confirmation.`}
  </LiveRegion>
);

/** The request of a token that an admin has to decide, if there is one. */
export const PendingConfirmation = ({ token }: { token: Token }) => {
  const request = pendingRequest(token, useNow());
  return (
    <>
      <RequestNews count={request ? 1 : 0} />
      {request && <Pending token={token} request={request} />}
    </>
  );
};

const Pending = ({ token, request }: { token: Token; request: ConfirmationRequest }) => {
  const open = useOpenDialog();
  useFocusAfterwards();
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="Ask the client's operator to read out the address and the code. Confirm only if both match."
        >
          Awaiting confirmation
        </Header>
      }
    >
      <RequestCard
        token={token}
        request={request}
        isNamed={false}
        onDecide={(name) => open({ name, token, request })}
      />
    </Container>
  );
};
